/** The kind of dashboard users. */
import type { Kind } from '../kind.ts';
import { dashboardUser } from './dashboard-user.ts';

export const dashboardUserKind = {
  actor: dashboardUser,
  refusals: {
    login_invalid: {
      status: 401,
      type: 'authentication_error',
      message: 'The e-mail or the password is wrong.',
    },
    login_limit_reached: {
      status: 422,
      type: 'invalid_request_error',
      message: 'This e-mail has reached the limit of merchants per login. Use another e-mail.',
      param: 'email',
    },
  },
} as const satisfies Kind;
