/** The two documents: the API of merchants under /v1, and the operator's under /admin/v1. */
import { apiVersion } from '../../../src/kernel/api-releases.ts';
import { documentOperation } from './door.ts';
import { documentOf } from './document.ts';
import type { Operation } from './operation.ts';
import type { Json } from './schema.ts';

export interface Api {
  /** Where its document is, and the beginning of its paths. */
  readonly path: string;
  readonly under: string;
  readonly title: string;
  readonly description: string;
}

const additions =
  'Later versions may add operations, optional parameters, fields of answers and ' +
  'values of enumerations: ignore what you do not know.';

export const merchantApi: Api = {
  path: '/v1/openapi.json',
  under: '/v1/',
  title: 'Galla',
  description:
    'A realtime payment engine. JSON over HTTP; amounts are integers in paisa (125050 is ' +
    'NPR 1,250.50), times are UTC with milliseconds, absent values are null. The key ' +
    'decides whether a request sees sandbox or live data. 503, or no answer, means that ' +
    'the result is unknown: send the request again with the same `Idempotency-Key`, ' +
    `and it is executed once. ${additions}`,
};

export const operatorApi: Api = {
  path: '/admin/v1/openapi.json',
  under: '/admin/v1/',
  title: 'Galla, operator',
  description: `What the operator of the service does: merchants, keys, reviews, the cluster. ${additions}`,
};

/** `all` may hold operations of both. */
export const documentOfApi = (api: Api, all: readonly Operation[], baseUrl: string): Json =>
  documentOf({ ...api, baseUrl }, [
    ...all.filter(({ path }) => path.startsWith(api.under)),
    documentOperation(api.path, api.title, apiVersion),
  ]);
