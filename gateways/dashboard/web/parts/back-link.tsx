/** Up to the list a thing stands in; as it was left, when one came from there. */
import { backToList } from '../address.ts';
import { Glyph } from './marks.tsx';

export const BackLink = ({ to, children }: { readonly to: string; readonly children: string }) => (
  <a class="back" href={to} onClick={backToList}>
    <span class="turned">
      <Glyph name="arrow" />
    </span>
    {children}
  </a>
);
