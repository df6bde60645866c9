/** Replies of the buyer's doors that are no page of a session. */
import type { DoorReply } from '../http/door.ts';
import { pageHeaders } from '../pages/headers.ts';

/** A page that stands alone. */
type Headers = { readonly [name: string]: string };

export const lone = (status: number, body: string, headers: Headers = {}): DoorReply => ({
  status, headers: { ...pageHeaders(), ...headers }, body,
});

/** 303: look there, with GET. */
export const seeOther = (address: string): DoorReply => ({
  status: 303, headers: { Location: address, 'Referrer-Policy': 'no-referrer' }, body: null,
});
