/** A secret that the service shows this once. */
import type { ComponentChildren } from 'preact';
import { Id } from './copy.tsx';
import { Fact, Glyph } from './marks.tsx';

export interface ShownOnceProps {
  /** What to do with it. */
  readonly title: string;
  readonly children: ComponentChildren;
  readonly facts: readonly (readonly [name: string, text: string])[];
}

export const ShownOnce = ({ title, children, facts }: ShownOnceProps) => (
  <div class="notice good shown-once" role="status">
    <Glyph name="lock" />
    <div>
      <strong>{title}</strong>
      {children}
      <dl class="facts">
        {facts.map(([name, text]) => (
          <Fact key={name} name={name}>
            <Id id={text} what={name} />
          </Fact>
        ))}
      </dl>
    </div>
  </div>
);
