/** docker-compose.yml as tests read it, and other files of YAML. */
import { parse } from 'yaml';
import { assert } from '../../src/kernel/assert.ts';
import { read } from '../support/house.ts';

export type Yaml = string | readonly string[] | YamlMap;
export interface YamlMap {
  readonly [key: string]: Yaml;
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

/** A file of YAML, with each scalar as its text. */
export const yamlOf = (path: string): YamlMap =>
  mapOf(parse(read(path), { merge: true, schema: 'failsafe' }) as Yaml);

export const compose = (): YamlMap => yamlOf('docker-compose.yml');

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
