/** The kinds of events a webhook endpoint may subscribe to (decisions 14). */
export const eventKinds: ReadonlySet<string> = new Set([
  'payment.succeeded', 'payment.failed', 'payment.cancelled', 'payment.refunded', 'payment.duplicate',
  'checkout.created', 'checkout.expired', 'checkout.cancelled',
  'refund.created', 'refund.succeeded', 'refund.failed', 'refund.requires_action',
  'subscription.created', 'subscription.activated', 'subscription.updated', 'subscription.trial_will_end',
  'subscription.trial_ended', 'subscription.renewed', 'subscription.plan_changed', 'subscription.paused',
  'subscription.resumed', 'subscription.past_due', 'subscription.cancelled', 'subscription.completed',
  'invoice.created', 'invoice.paid', 'invoice.past_due', 'invoice.voided', 'invoice.reminder_sent',
  'payment_link.paid', 'reconciliation.mismatch', 'webhook_endpoint.disabled', 'test.ping',
]);
