/** From where one is to what one sees. */
import { useFocusOnHeading } from '../heading.ts';
import type { Screen } from '../route.ts';
import { DeliveryScreen } from './delivery.tsx';
import { EndpointScreen } from './endpoint.tsx';
import { UnknownScreen } from './nowhere.tsx';
import { PaymentScreen } from './payment.tsx';
import { PaymentsScreen } from './payments.tsx';
import { WebhooksScreen } from './webhooks.tsx';

export function ScreenOf({ screen }: { readonly screen: Screen }) {
  useFocusOnHeading(identityOf(screen));
  switch (screen.name) {
    case 'payments':
      return <PaymentsScreen filters={screen.filters} />;
    case 'payment':
      return <PaymentScreen key={screen.id} id={screen.id} />;
    case 'webhooks':
      return <WebhooksScreen />;
    case 'endpoint':
      return <EndpointScreen key={screen.id} id={screen.id} filters={screen.filters} />;
    case 'delivery':
      return <DeliveryScreen key={screen.eventId} endpointId={screen.endpointId} eventId={screen.eventId} />;
    case 'unknown':
      return <UnknownScreen />;
  }
}

/** Another filter or page of a list is the same screen. */
function identityOf(screen: Screen): string {
  switch (screen.name) {
    case 'payment':
    case 'endpoint':
      return `${screen.name} ${screen.id}`;
    case 'delivery':
      return `${screen.endpointId} ${screen.eventId}`;
    default:
      return screen.name;
  }
}
