/** The part of pino's interface that the runtime uses. */
export interface RuntimeLog {
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
