import { z } from 'zod';

const ruleSchema = z.object({
  const: z.unknown().optional(),
  enum: z.array(z.unknown()).optional(),
  type: z.union([z.string(), z.array(z.string())]).optional(),
  format: z.string().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  maxItems: z.number().optional(),
  description: z.string().optional(),
});
type Rule = z.output<typeof ruleSchema>;

/** Describes what a JSON Schema rule accepts, as in `a string of 1 to 64 characters (description)`. */
export function expectation(schema: unknown): string {
  const rule = ruleSchema.parse(schema ?? {});
  return `${kindOf(rule)}${rule.description === undefined ? '' : ` (${rule.description})`}`;
}

function kindOf(rule: Rule): string {
  const { enum: choices = rule.const === undefined ? [] : [rule.const], type = 'value', format } = rule;
  if (choices.length > 0) return choices.map((choice) => JSON.stringify(choice)).join(' or ');
  const types = format === 'uri' ? ['URI'] : [type].flat();
  return types.map(withArticle).join(' or ') + sizeOf(rule);
}

function withArticle(type: string): string {
  if (type === 'null') return type;
  return `${/^[aeio]/.test(type) ? 'an' : 'a'} ${type}`;
}

function sizeOf({ minLength = 0, maxLength, maxItems }: Rule): string {
  if (maxItems !== undefined) return ` of at most ${maxItems} items`;
  if (maxLength !== undefined) return ` of ${minLength} to ${maxLength} characters`;
  return minLength === 0 ? '' : ` of ${minLength} or more characters`;
}
