/** The invoice book kind. */
import type { Kind } from '../kind.ts';
import { invoiceBook } from './invoice-book.ts';

export const invoiceBookKind = { actor: invoiceBook } as const satisfies Kind;
