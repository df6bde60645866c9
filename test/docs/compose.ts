/** docker-compose.yml as tests read it.
 *  Boundary: the part of YAML that file is written in: maps by indentation, lists by dashes or in one line of JSON or
 *  bare words, one anchor that is merged. A line of any other form throws. */
import { assert } from '../../src/kernel/assert.ts';
import { read } from '../support/house.ts';

export type Yaml = string | readonly string[] | YamlMap;
export interface YamlMap {
  readonly [key: string]: Yaml;
}

interface Line {
  readonly indent: number;
  readonly text: string;
}

export const mapOf = (value: Yaml | undefined): YamlMap => {
  assert(typeof value === 'object' && !Array.isArray(value), 'a map');
  return value as YamlMap;
};
export const listOf = (value: Yaml | undefined): readonly string[] => {
  assert(Array.isArray(value), 'a list');
  return value as readonly string[];
};
export const textOf = (value: Yaml | undefined): string => {
  assert(typeof value === 'string', 'a text');
  return value;
};

export function compose(): YamlMap {
  const lines = read('docker-compose.yml')
    .split('\n')
    .filter((line) => !/^\s*(?:#|$)/.test(line))
    .map((line): Line => ({ indent: line.search(/\S/), text: line.trim() }));
  return mapAt(lines, 0, new Map<string, YamlMap>());
}

/** Each service by its name. */
export const services = (): readonly (readonly [name: string, service: YamlMap])[] =>
  Object.entries(mapOf(compose()['services'])).map(([name, service]) => [name, mapOf(service)] as const);

/** What a service sets, with each `${NAME:-default}` as it is when nobody sets NAME. */
export const environmentOf = (service: YamlMap): { readonly [name: string]: string } =>
  Object.fromEntries(
    Object.entries(mapOf(service['environment'] ?? {})).map(([name, value]) => [
      name,
      textOf(value).replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1'),
    ]),
  );

function mapAt(lines: Line[], indent: number, anchors: Map<string, YamlMap>): YamlMap {
  const found: Record<string, Yaml> = {};
  while (lines[0]?.indent === indent) {
    const [, key = '', rest = ''] = /^([\w.<-]+):(?:\s+(.*))?$/.exec(lines.shift()?.text ?? '') ?? [];
    assert(key !== '', 'a line is `key:` or `key: value`');
    if (key === '<<') Object.assign(found, anchors.get(rest.slice(1)));
    else if (rest !== '' && !rest.startsWith('&')) found[key] = scalar(rest);
    else {
      const below = blockAt(lines, indent, anchors);
      if (rest !== '') anchors.set(rest.slice(1), mapOf(below));
      found[key] = below;
    }
  }
  return found;
}

function blockAt(lines: Line[], above: number, anchors: Map<string, YamlMap>): Yaml {
  const indent = lines[0]?.indent ?? 0;
  if (indent <= above) return {};
  if (lines[0]?.text.startsWith('- ') !== true) return mapAt(lines, indent, anchors);
  const items: string[] = [];
  while (lines[0]?.indent === indent) items.push(textOf(scalar(lines.shift()?.text.slice(2) ?? '')));
  return items;
}

function scalar(text: string): string | readonly string[] {
  if (text.startsWith('["')) return JSON.parse(text) as readonly string[];
  if (text.startsWith('[')) return text.slice(1, -1).split(', ');
  return text.startsWith('"') ? (JSON.parse(text) as string) : text;
}
