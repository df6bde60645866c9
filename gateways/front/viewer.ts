/** GET /docs: the reference of the API, to read and to try. Swagger UI shows the document that the service
 *  itself serves; see docs/decisions/0021-swagger-ui-shows-the-api.md.
 *  1. Everything it loads comes from here, under the policy of all our pages.
 *  2. The page is HTML whatever `Accept` says: the document has its own address. */
import { join } from 'node:path';
import { packageRoot } from '../../src/kernel/package-root.ts';
import type { Door, DoorReply } from '../server/door.ts';
import { errorPage, lone } from '../buyer/replies.ts';
import { fileReply, filesIn, type BuiltFiles } from '../pages/built-files.ts';
import { docsPath, operatorDocsPath } from '../pages/front/places.ts';
import { viewerPage } from '../pages/front/viewer.ts';
import { guidesIn } from './docs.ts';
import type { FrontParts } from './parts.ts';

const filesPath = `${docsPath}/viewer`;

/** Where the build puts them; none where it is not built. */
export const readViewer = (): BuiltFiles => filesIn(join(packageRoot(), 'dist', 'viewer'));

export function viewerDoors({ viewer, docs }: Pick<FrontParts, 'viewer' | 'docs'>): readonly Door[] {
  const guides = guidesIn(docs);
  const pathOf = (wanted: RegExp): string | null => {
    const name = [...viewer.keys()].find((each) => wanted.test(each));
    return name === undefined ? null : `${filesPath}/${name}`;
  };
  const swagger = { script: pathOf(/^swagger-ui-bundle-.*\.js$/), style: pathOf(/^swagger-ui-.*\.css$/) };
  const door = (path: string, api: 'merchant' | 'operator'): Door => {
    const page = viewerPage({ api, guides, ...swagger });
    return { method: 'GET', path, lateHeaders: [], errorPage, handle: async () => lone(200, page, headers) };
  };
  return [
    door(docsPath, 'merchant'),
    door(operatorDocsPath, 'operator'),
    {
      method: 'GET',
      path: `${filesPath}/{file}`,
      lateHeaders: [],
      handle: async (request): Promise<DoorReply> =>
        fileReply(viewer.get(request.params['file'] ?? ''), request.header('accept-encoding')),
    },
  ];
}

/** A key may be pasted into this page: no other site's window keeps a reference to it. */
const headers = { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cache-Control': 'no-cache' };
