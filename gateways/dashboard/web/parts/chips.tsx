/** One choice of several as links: each is an address that can be shared, and back undoes it. */

/** Values with the words for them; '' is all. */
export type Choices<Value extends string = string> = readonly (readonly [Value, string])[];

export interface ChipsProps<Value extends string> {
  /** What is chosen, for screen readers. */
  readonly name: string;
  readonly value: Value;
  readonly choices: Choices<Value>;
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
