import { isAddress, isHex, size } from 'viem';
import type { InputFault } from '../core/domain-error.ts';
import type { AbiParameterJson } from './abi-parameter.ts';

const ARRAY = /^(.*)\[(\d*)\]$/;

/** The type of an array's items, and its length where that is fixed; undefined for what is no array. */
export function arrayOf(type: string): { readonly itemType: string; readonly length: number | undefined } | undefined {
  const [, itemType, length] = ARRAY.exec(type) ?? [];
  if (itemType === undefined) return undefined;
  return { itemType, length: length === '' ? undefined : Number(length) };
}

/** Whether the fields of a tuple are told apart by their names: each has one of its own. */
export function hasNamedFields(components: readonly AbiParameterJson[]): boolean {
  const names = components.map(({ name }) => name ?? '');
  return !names.includes('') && new Set(names).size === names.length;
}

/**
 * Turns a JSON value into what viem encodes for an ABI parameter, tuples as arrays. Whole numbers come as decimal
 * strings, or as numbers where these are exact.
 * @param path Where the value stands in the input.
 * @param faults Every fault is added here; the result counts only if there is none.
 */
export function fromJson(parameter: AbiParameterJson, value: unknown, path: string, faults: InputFault[]): unknown {
  const { type } = parameter;
  const fault = (message: string) => {
    faults.push({ path, message });
  };
  const array = arrayOf(type);
  if (array !== undefined) {
    if (!Array.isArray(value)) return fault(`must be an array (${type})`);
    if (array.length !== undefined && value.length !== array.length) {
      return fault(`must have ${array.length} items (${type})`);
    }
    const item = { ...parameter, type: array.itemType };
    return value.map((member: unknown, index) => fromJson(item, member, `${path}.${index}`, faults));
  }
  if (type === 'tuple') return tupleFromJson(parameter.components ?? [], value, path, faults);
  if (type === 'bool') return typeof value === 'boolean' ? value : fault('must be true or false');
  if (type === 'string') {
    return typeof value === 'string' && value.isWellFormed() ? value : fault('must be a string of valid Unicode');
  }
  if (type === 'address') {
    return typeof value === 'string' && isAddress(value) ? value : fault('must be an address');
  }
  if (type.startsWith('bytes')) {
    const bytes = type.slice('bytes'.length);
    const fits = isHex(value) && value.length % 2 === 0 && (bytes === '' || size(value) === Number(bytes));
    return fits ? value : fault(`must be 0x and hex digits (${type})`);
  }
  return integerFromJson(type, value) ?? fault(`must be a whole number in the range of ${type}, as a decimal string`);
}

/** A tuple comes as an array of its fields, or as an object where each field has a name of its own. */
function tupleFromJson(
  components: readonly AbiParameterJson[],
  value: unknown,
  path: string,
  faults: InputFault[],
): unknown {
  const keys = Array.isArray(value) || !hasNamedFields(components) ? [] : components.map(({ name = '' }) => name);
  const isComplete = Array.isArray(value)
    ? value.length === components.length
    : typeof value === 'object' && value !== null && keys.length > 0 && keys.every((key) => Object.hasOwn(value, key));
  if (!isComplete) {
    faults.push({ path, message: `must be an array or an object with the ${components.length} fields of the tuple` });
    return undefined;
  }
  return components.map((component, index) => {
    const key = keys[index] ?? String(index);
    return fromJson(component, Reflect.get(Object(value), key), `${path}.${key}`, faults);
  });
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
