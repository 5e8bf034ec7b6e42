import { isAddress, isHex, size } from 'viem';
import type { InputIssue } from '../core/domain-error.ts';
import type { AbiParameterJson } from './abi-parameter.ts';

const ARRAY = /^(.*)\[(\d*)\]$/;

/** What viem can encode, or everything wrong with the JSON that was given. */
export type ParsedAbiValue<Value = unknown> = { readonly value: Value } | { readonly issues: readonly InputIssue[] };

/** An array type's item type, and its length if fixed; undefined when the type is not an array. */
export function arrayOf(type: string): { readonly itemType: string; readonly length: number | undefined } | undefined {
  const [, itemType, length] = ARRAY.exec(type) ?? [];
  if (itemType === undefined) return undefined;
  return { itemType, length: length === '' ? undefined : Number(length) };
}

/** Whether every field of a tuple has a name of its own, so that an object can represent the tuple. */
export function hasNamedFields(components: readonly AbiParameterJson[]): boolean {
  const names = components.map(({ name }) => name ?? '');
  return !names.includes('') && new Set(names).size === names.length;
}

/**
 * Parses the arguments of a call, one per parameter.
 * @param path Path of the arguments in the input; an argument's own path is that and its index.
 */
export function parseAbiArguments(
  parameters: readonly AbiParameterJson[],
  args: readonly unknown[],
  path: string,
): ParsedAbiValue<unknown[]> {
  return joined(parameters.map((parameter, index) => parseAbiValue(parameter, args[index], `${path}.${index}`)));
}

/**
 * Turns a JSON value into what viem encodes for an ABI parameter, tuples as arrays. Integers are decimal strings, or
 * numbers that are exact.
 * @param path Path of the value in the input.
 */
function parseAbiValue(parameter: AbiParameterJson, value: unknown, path: string): ParsedAbiValue {
  const { type } = parameter;
  const array = arrayOf(type);
  if (array !== undefined) {
    if (!Array.isArray(value)) return issue(path, `must be an array (${type})`);
    if (array.length !== undefined && value.length !== array.length) {
      return issue(path, `must have ${array.length} items (${type})`);
    }
    const item = { ...parameter, type: array.itemType };
    return joined(value.map((member: unknown, index) => parseAbiValue(item, member, `${path}.${index}`)));
  }
  if (type === 'tuple') return parseTuple(parameter.components ?? [], value, path);
  if (type === 'bool') return typeof value === 'boolean' ? { value } : issue(path, 'must be true or false');
  if (type === 'string') {
    const isText = typeof value === 'string' && value.isWellFormed();
    return isText ? { value } : issue(path, 'must be a string of valid Unicode');
  }
  if (type === 'address') {
    return typeof value === 'string' && isAddress(value) ? { value } : issue(path, 'must be an address');
  }
  if (type.startsWith('bytes')) {
    const bytes = type.slice('bytes'.length);
    const fits = isHex(value) && value.length % 2 === 0 && (bytes === '' || size(value) === Number(bytes));
    return fits ? { value } : issue(path, `must be 0x and hex digits (${type})`);
  }
  const integer = integerFromJson(type, value);
  return integer === undefined
    ? issue(path, `must be a whole number in the range of ${type}, as a decimal string`)
    : { value: integer };
}

/** A tuple is an array of its fields, or an object when each field has a name of its own. */
function parseTuple(components: readonly AbiParameterJson[], value: unknown, path: string): ParsedAbiValue {
  const keys = Array.isArray(value) || !hasNamedFields(components) ? [] : components.map(({ name = '' }) => name);
  const isComplete = Array.isArray(value)
    ? value.length === components.length
    : typeof value === 'object' && value !== null && keys.length > 0 && keys.every((key) => Object.hasOwn(value, key));
  if (!isComplete) {
    return issue(path, `must be an array or an object with the ${components.length} fields of the tuple`);
  }
  return joined(
    components.map((component, index) => {
      const key = keys[index] ?? String(index);
      return parseAbiValue(component, Reflect.get(Object(value), key), `${path}.${key}`);
    }),
  );
}

function issue(path: string, message: string): ParsedAbiValue<never> {
  return { issues: [{ path, message }] };
}

/** All the values, or all the issues if there are any. */
function joined(parts: readonly ParsedAbiValue[]): ParsedAbiValue<unknown[]> {
  const issues = parts.flatMap((part) => ('issues' in part ? part.issues : []));
  return issues.length > 0 ? { issues } : { value: parts.map((part) => ('value' in part ? part.value : undefined)) };
}

function integerFromJson(type: string, value: unknown): bigint | undefined {
  const exact =
    typeof value === 'number' ? Number.isSafeInteger(value) : typeof value === 'string' && /^-?\d{1,78}$/.test(value);
  if (!exact) return undefined;
  const integer = BigInt(String(value));
  const bits = Number(/\d+$/.exec(type)?.[0]);
  const fitting = type.startsWith('u') ? BigInt.asUintN(bits, integer) : BigInt.asIntN(bits, integer);
  return fitting === integer ? integer : undefined;
}
