import { describe, expect, test } from 'vitest';
import * as places from '../../../../gateways/dashboard/web/places.ts';
import { mayOpen, projectsListedMax, usualPlace } from '../../../../gateways/dashboard/web/route.ts';
import { Body } from '../../../../src/cli/demo/api.ts';
import { everyScreen, operatorAddresses, type Made } from '../../../browser/dashboard-objects.ts';
import type { Me, Place } from '../../../../gateways/dashboard/web/wire/types.ts';
import { projectsListedMax as listedByTheDoor } from '../../../../gateways/dashboard/server/projects.ts';

test('every address is among those that the browser tests open', () => {
  const some = new Body({ id: 'a_1', eventId: 'evt_1', latestInvoice: { id: 'bi_1' } });
  const made: Made = {
    payment: some,
    plan: some,
    customer: some,
    subscription: some,
    link: some,
    endpointId: 'we_1',
    delivery: some,
    statement: some,
  };
  const opened = [...everyScreen(made), ...operatorAddresses('mer_1')].map(
    (each) => each.split('?')[0] ?? '',
  );
  const query = new URLSearchParams();
  for (const [name, place] of Object.entries(places))
    if ('read' in place)
      expect(
        opened.some((path) => place.read({ path, query }) !== null),
        name,
      ).toBe(true);
});

const login = (role: Me['role'], projectCount: number): Pick<Me, 'role' | 'projects'> => ({
  role,
  projects: Array.from({ length: projectCount }, (_, at) => ({
    id: `prj_${at}`,
    name: 'Shop',
    merchantName: `Shop ${at}`,
  })),
});
const first: Place = { projectId: 'prj_0', mode: 'sandbox' };
const second: Place = { projectId: 'prj_1', mode: 'live' };
const old: Place = { projectId: 'prj_old', mode: 'live' };

describe('the projects a login may open', () => {
  test('are for a merchant the listed ones', () => {
    expect(mayOpen(login('merchant', 2), second)).toBe(true);
    expect(mayOpen(login('merchant', projectsListedMax), old)).toBe(false);
  });

  test('are for an operator all, even those not listed', () => {
    expect(mayOpen(login('operator', projectsListedMax), old)).toBe(true);
  });
});

describe('the first project of a login', () => {
  test('is the last one used, else the first sandbox, else none', () => {
    expect(usualPlace(login('merchant', 2), second)).toEqual(second);
    expect(usualPlace(login('merchant', 2), null)).toEqual(first);
    expect(usualPlace(login('merchant', 2), old)).toEqual(first);
    expect(usualPlace(login('merchant', 0), old)).toBeNull();
  });

  test('may be for an operator a project too old to be listed, but not a deleted one', () => {
    expect(usualPlace(login('operator', projectsListedMax), old)).toEqual(old);
    expect(usualPlace(login('operator', projectsListedMax - 1), old)).toEqual(first);
  });

  test('page and route use the same size of a full list', () => {
    expect(projectsListedMax).toBe(listedByTheDoor);
  });
});
