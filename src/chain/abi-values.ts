import { isAddress, isHex, size } from 'viem';
import { z } from 'zod';
import type { InputFault } from '../http/domain-error.ts';

/** A parameter as an ABI in JSON states it. */
export interface AbiParameterJson {
  readonly type: string;
  readonly name?: string | undefined;
  readonly components?: readonly AbiParameterJson[] | undefined;
}

const ELEMENTARY =
  'u?int(8|16|24|32|40|48|56|64|72|80|88|96|104|112|120|128|136|144|152|160|168|176|184|192|200|208|216|224|232|240|248|256)?|address|bool|string|bytes([1-9]|[12]\\d|3[0-2])?|tuple';
const TYPE = new RegExp(`^(${ELEMENTARY})(\\[\\d{0,4}\\])*$`);
const ARRAY = /^(.*)\[(\d*)\]$/;

/** A parameter of an ABI from outside. */
export const abiParameterSchema: z.ZodType<AbiParameterJson> = z.object({
  type: z.string().regex(TYPE, 'must be a Solidity type'),
  name: z.string().max(256).optional(),
  get components(): z.ZodOptional<z.ZodArray<z.ZodType<AbiParameterJson>>> {
    return z.array(abiParameterSchema).max(64).optional();
  },
});

/**
 * Turns a JSON value into what an ABI parameter takes: whole numbers come as decimal strings, or as numbers where these
 * are exact.
 * @param path Where the value stands in the input.
 * @param faults Every fault is added here; the result counts only if there is none.
 */
export function fromJson(parameter: AbiParameterJson, value: unknown, path: string, faults: InputFault[]): unknown {
  const { type } = parameter;
  const fault = (message: string) => {
    faults.push({ path, message });
  };
  const [, itemType, length] = ARRAY.exec(type) ?? [];
  if (itemType !== undefined) {
    if (!Array.isArray(value)) return fault(`must be an array (${type})`);
    if (length !== '' && value.length !== Number(length)) return fault(`must have ${length} items (${type})`);
    return value.map((item: unknown, index) =>
      fromJson({ ...parameter, type: itemType }, item, `${path}.${index}`, faults),
    );
  }
  if (type === 'tuple') return tupleFromJson(parameter, value, path, faults);
  if (type === 'bool') return typeof value === 'boolean' ? value : fault('must be true or false');
  if (type === 'string') return typeof value === 'string' ? value : fault('must be a string');
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

function tupleFromJson(parameter: AbiParameterJson, value: unknown, path: string, faults: InputFault[]): unknown {
  const components = parameter.components ?? [];
  if (typeof value !== 'object' || value === null) {
    faults.push({ path, message: 'must be an object or an array of the tuple’s fields' });
    return undefined;
  }
  const fields = components.map((component, index) => {
    const key = Array.isArray(value) ? String(index) : (component.name ?? String(index));
    return fromJson(component, Reflect.get(value, key), `${path}.${key}`, faults);
  });
  // viem takes a tuple as an object when all its fields have names, else as an array.
  const named = components.every(({ name }) => name !== undefined && name !== '');
  return named ? Object.fromEntries(components.map(({ name }, index) => [name, fields[index]])) : fields;
}

function integerFromJson(type: string, value: unknown): bigint | undefined {
  const exact =
    typeof value === 'number' ? Number.isSafeInteger(value) : typeof value === 'string' && /^-?\d{1,78}$/.test(value);
  if (!exact) return undefined;
  const integer = BigInt(String(value));
  const bits = BigInt(/\d+$/.exec(type)?.[0] ?? '256');
  const [low, high] = type.startsWith('u') ? [0n, 2n ** bits - 1n] : [-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n];
  return integer >= low && integer <= high ? integer : undefined;
}

/** What a call's result is in JSON. */
export type CallResult = string | boolean | null | CallResult[] | { [key: string]: CallResult };

/** Turns what a call returned into JSON: whole numbers of any size become decimal strings. */
export function toJson(value: unknown): CallResult {
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'bigint' || typeof value === 'number') return value.toString();
  if (Array.isArray(value)) return value.map(toJson);
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, toJson(member)]));
  }
  return null;
}
