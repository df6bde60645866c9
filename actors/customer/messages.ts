/** The commands and the state of a customer of the billing. */
import type { Instant } from '../../src/kernel/time.ts';
import { address, type ActorTypes, type Address } from '../../src/runtime/model/actor.ts';
import type { Metadata } from '../metadata.ts';
import type { CustomerCopy } from '../subscription/state.ts';

export const customerAt = (id: string): Address<CustomerCommands> => address('customer', id);

/** What the merchant sets, validated at the gateway. */
export interface CustomerRequest {
  readonly name: string;
  readonly email: string | null;
  readonly phone: string | null;
  readonly externalCustomerId: string | null;
  readonly metadata: Metadata;
}

export interface CustomerCommands {
  create: CustomerRequest;
  /** Absent: unchanged. `metadata` merges by key, and null deletes a key. Refuses `metadata_too_many_keys`. */
  change: Partial<CustomerRequest>;
}

export interface CustomerState extends CustomerRequest {
  readonly status: 'open';
  readonly sequence: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export interface CustomerTypes extends ActorTypes {
  state: CustomerState;
  terminal: never;
  commands: CustomerCommands;
  effects: Record<never, never>;
}

/** What a subscription keeps of a customer. */
export const customerCopyOf = (id: string, { name, email, phone }: CustomerRequest): CustomerCopy => ({
  id,
  name,
  email,
  phone,
});
