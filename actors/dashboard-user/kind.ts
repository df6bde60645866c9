/** The kind of dashboard users. */
import type { Kind } from '../kind.ts';
import { dashboardUser } from './dashboard-user.ts';

export const dashboardUserKind = {
  actor: dashboardUser,
  refusals: {
    login_invalid: {
      status: 401,
      type: 'authentication_error',
      message: 'This e-mail and password do not belong together.',
    },
    login_limit_reached: {
      status: 422,
      type: 'invalid_request_error',
      message: 'This e-mail stands behind as many merchants as it can.',
      param: 'email',
    },
  },
} as const satisfies Kind;
