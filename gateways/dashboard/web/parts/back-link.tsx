/** A link up to the list that contains an object; restores the list as it was left, when the user came from
 *  it. */
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
