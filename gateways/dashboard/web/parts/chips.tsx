/** One choice of several as links: each is an address that can be shared, and back undoes it. */

export interface ChipsProps<Value extends string> {
  /** What is chosen, for screen readers. */
  readonly name: string;
  readonly value: Value;
  readonly choices: readonly (readonly [Value, string])[];
  readonly addressOf: (value: Value) => string;
}

export const Chips = <Value extends string>({ name, value, choices, addressOf }: ChipsProps<Value>) => (
  <nav class="chips" aria-label={name}>
    {choices.map(([each, word]) => (
      <a key={each} class="chip" href={addressOf(each)} aria-current={each === value ? 'true' : undefined}>
        {word}
      </a>
    ))}
  </nav>
);
