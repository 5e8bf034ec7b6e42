import { keccak256, slice, stringToHex, type Hex } from 'viem';
import { z } from 'zod';

/** The most levels of nested tuples in one parameter. */
const MAX_TUPLES = 8;
const MAX_DIMENSIONS = 4;
/** The most parameters of a function, an error or a tuple. */
export const MAX_PARAMETERS = 64;

/** A parameter in a JSON ABI. A tuple has components; a fixed-size array has a length of 1 or more. */
export interface AbiParameterJson {
  readonly type: string;
  readonly name?: string | undefined;
  readonly components?: readonly AbiParameterJson[] | undefined;
}

const BITS = Array.from({ length: 32 }, (_, index) => 8 * (index + 1)).join('|');
const ELEMENTARY = `u?int(${BITS})?|address|bool|string|bytes([1-9]|[12]\\d|3[0-2])?|tuple`;
export const ABI_TYPE = new RegExp(`^(${ELEMENTARY})(\\[([1-9]\\d{0,3})?\\]){0,${MAX_DIMENSIONS}}$`);

/** A function's or an error's name. */
export const ABI_NAME = /^[A-Za-z_$][\w$]{0,255}$/;

export const ABI_PARAMETER_NAME = /^([A-Za-z_$][\w$]{0,63})?$/;

/** {@link ABI_NAME} as a field. */
export const abiNameField = z.string().regex(ABI_NAME, 'must be a Solidity name');

/** The parameters of an ABI item in a request; their number is checked before any of them is parsed. */
export const abiParametersField = parametersField(MAX_TUPLES);

function parametersField(tuples: number): z.ZodType<AbiParameterJson[]> {
  return z
    .array(z.unknown())
    .max(MAX_PARAMETERS, `must have at most ${MAX_PARAMETERS} parameters`)
    .pipe(z.array(parameterField(tuples)));
}

/** @param tuples How many more levels of tuples may be nested. */
function parameterField(tuples: number): z.ZodType<AbiParameterJson> {
  return z
    .object({
      type: z
        .string()
        .regex(ABI_TYPE, `must be a Solidity type with at most ${MAX_DIMENSIONS} array dimensions`)
        // `uint` and `int` are aliases in source code; selectors use the canonical names.
        .transform((type) => type.replace(/^(u?int)(?!\d)/, '$1256')),
      name: z.string().regex(ABI_PARAMETER_NAME, 'must be a Solidity name of at most 64 characters').optional(),
      components: tuples === 0 ? z.undefined().optional() : parametersField(tuples - 1).optional(),
    })
    .superRefine(({ type, components }, context) => {
      const isTuple = type.startsWith('tuple');
      if (isTuple && tuples === 0) {
        context.addIssue({ code: 'custom', message: `tuples must not be nested deeper than ${MAX_TUPLES} levels` });
      } else if (isTuple !== (components !== undefined && components.length > 0)) {
        const message = isTuple
          ? 'must not be missing or empty for a tuple'
          : 'must be absent: the type is not a tuple';
        context.addIssue({ code: 'custom', path: ['components'], message });
      }
    });
}

/** The 4-byte selector of a function or an error. */
export function selectorOf({ name, inputs }: { name: string; inputs: readonly AbiParameterJson[] }): Hex {
  return slice(keccak256(stringToHex(`${name}(${typesOf(inputs)})`)), 0, 4);
}

function typesOf(parameters: readonly AbiParameterJson[]): string {
  return parameters
    .map(({ type, components = [] }) => type.replace(/^tuple/, () => `(${typesOf(components)})`))
    .join(',');
}
