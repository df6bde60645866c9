/** The kind of projects. */
import type { Kind } from '../kind.ts';
import { project } from './project.ts';

export const projectKind = {
  actor: project,
  rows: [{ kind: 'api_key', indexes: ['projectId'] }],
  refusals: {
    webhook_endpoint_limit_reached: {
      status: 422,
      type: 'invalid_request_error',
      message: 'At most 10 webhook endpoints per project and mode.',
    },
    key_limit_reached: {
      status: 422,
      type: 'invalid_request_error',
      message: 'This project has reached its limit of API keys, revoked keys included.',
    },
  },
} as const satisfies Kind;
