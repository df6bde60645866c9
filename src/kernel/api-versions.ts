/** Versions of the API: which one a request gets, and how an older one is served.
 *  Boundary: pure; it works on JSON. What a change means for an operation is written down in the change.
 *  1. Inside there is one version, the newest. A request in an older one is translated on its way in, an
 *     answer and an event on their way out, through every version in between.
 *  2. Translating is a function of its input alone: an event reads the same on every try.
 *  3. A deprecated version goes on for at least 12 months. */
import { assert } from './assert.ts';
import type { JsonValue } from './canonical-json.ts';
import { days, type Instant } from './time.ts';

type JsonObject = { readonly [key: string]: JsonValue };

/** What a version changed, towards the version before it. `operation` is an operationId. */
export interface Change {
  /** A body as the version before sends it, as this version takes it. */
  request?(operation: string, body: JsonObject): JsonObject;
  /** A result of this version, as the version before answers it. */
  answer?(operation: string, body: JsonObject): JsonObject;
  /** An event of this version, as the version before sends it. */
  event?(envelope: JsonObject): JsonObject;
}

export interface Release {
  /** A date: versions sort as text. */
  readonly version: string;
  /** Absent for the first version. */
  readonly change?: Change;
  /** Of every version but the newest: since when it is deprecated, and when it ends. */
  readonly deprecated?: { readonly at: Instant; readonly sunset: Instant };
}

export interface RenderedEvent {
  readonly text: string;
  readonly version: string;
}

const deprecatedMsMin = days(365);
const none: { readonly [name: string]: string } = {};

export class ApiVersions {
  readonly newest: string;
  private readonly releases: readonly Release[];
  private readonly headersOf: ReadonlyMap<string, { readonly [name: string]: string }>;

  constructor(releases: readonly Release[]) {
    const newest = releases.at(-1);
    assert(newest !== undefined, 'there is a version');
    releases.forEach(({ version, deprecated }, at) => {
      assert(at === 0 || version > (releases[at - 1]?.version ?? ''), 'versions are in order');
      assert((deprecated === undefined) === (version === newest.version), 'all but the newest end');
      const keptMs = deprecated === undefined ? deprecatedMsMin : deprecated.sunset - deprecated.at;
      assert(keptMs >= deprecatedMsMin, 'a deprecated version goes on for 12 months');
    });
    this.newest = newest.version;
    this.releases = releases;
    this.headersOf = new Map(releases.map((release) => [release.version, headersFor(release)]));
  }

  /** The version of a request: the one it names, else the one its key is pinned to. null: it names one that
   *  does not exist. A pin that this node does not know is a newer node's. */
  chosen(named: string | null, pinned: string): string | null {
    if (named === null) return this.known(pinned);
    return this.headersOf.has(named) ? named : null;
  }

  /** Headers of an answer in this version; none for the newest, which every answer names by itself. */
  headers(version: string): { readonly [name: string]: string } {
    return version === this.newest ? none : (this.headersOf.get(version) ?? none);
  }

  request(version: string, operation: string, body: JsonObject): JsonObject {
    return this.changesAfter(version).reduce(
      (sent, change) => change.request?.(operation, sent) ?? sent,
      body,
    );
  }

  /** `text` is JSON, in the version `written`: an answer that was stored reads the same after a newer release. */
  answer(version: string, operation: string, text: string, written = this.newest): string {
    const changes = this.changesAfter(version, written).toReversed();
    if (changes.length === 0) return text;
    // the service wrote it
    const body = JSON.parse(text) as JsonObject;
    return JSON.stringify(
      changes.reduce((answered, change) => change.answer?.(operation, answered) ?? answered, body),
    );
  }

  /** An envelope as the log has it, for a reader pinned to this version. One from before that version was released
   *  stays as it was written. */
  event(pinned: string, text: string): RenderedEvent {
    const written = writtenIn(text);
    const version = this.known(pinned);
    if (written <= version) return { text, version: written };
    const envelope = this.changesAfter(version)
      .toReversed()
      .reduce<JsonObject>(
        (event, change) => change.event?.(event) ?? event,
        // the service wrote it
        JSON.parse(text) as JsonObject,
      );
    return { text: JSON.stringify({ ...envelope, apiVersion: version }), version };
  }

  private known(pinned: string): string {
    return this.headersOf.has(pinned) ? pinned : this.newest;
  }

  private changesAfter(version: string, until = this.newest): readonly Change[] {
    return this.releases.flatMap((release) =>
      release.version > version && release.version <= until && release.change !== undefined
        ? [release.change]
        : [],
    );
  }
}

/** Its keys come in one order: the first is the envelope's own. */
const writtenIn = (envelope: string): string => /"apiVersion":"([^"]*)"/.exec(envelope)?.[1] ?? '';

/** RFC 9745 and RFC 8594. */
const headersFor = ({ version, deprecated }: Release): { readonly [name: string]: string } =>
  deprecated === undefined
    ? { 'Api-Version': version }
    : {
        'Api-Version': version,
        Deprecation: `@${Math.floor(deprecated.at / 1000)}`,
        Sunset: new Date(deprecated.sunset).toUTCString(),
      };
