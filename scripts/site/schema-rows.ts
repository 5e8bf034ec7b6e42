import type { Schema } from './api-document.ts';

/** A row of a table: a field, or a trait. */
export interface Row {
  readonly name: string;
  readonly isRequired: boolean;
  /** The values it can have. */
  readonly values: string;
  readonly description: string;
}

/** The fields of a schema, nested ones by their path, such as `utility.data.event.name`. */
export function fieldRows(schema: Schema, path = ''): Row[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, field]) => {
    const name = path === '' ? key : `${path}.${key}`;
    const isRequired = schema.required?.includes(key) === true;
    const row = { name, isRequired, values: valuesOf(field), description: field.description ?? '' };
    return [row, ...fieldRows(field, name), ...(field.items === undefined ? [] : fieldRows(field.items, `${name}[]`))];
  });
}

/** The traits that `attributes` must have. */
export function traitRows(schema: Schema): Row[] {
  return (schema.properties?.['attributes']?.allOf ?? []).map(({ title = '', items }) => {
    const rule = items?.then;
    const value = rule?.properties?.['value'];
    const display = [rule, rule?.then, rule?.else].flatMap((part) => part?.properties?.['display_type']?.default ?? []);
    const description = [value?.description, display.length > 0 ? `display type ${display.join(' or ')}` : undefined];
    return {
      name: title,
      isRequired: true,
      values: value === undefined ? 'any' : valuesOf(value),
      description: description.filter((part) => part !== undefined).join('; '),
    };
  });
}

function valuesOf(schema: Schema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(', ');
  const type = [schema.type ?? 'any'].flat().join(' or ');
  const limits = [
    schema.minLength === undefined ? undefined : `at least ${schema.minLength}`,
    schema.maxLength === undefined ? undefined : `at most ${schema.maxLength}`,
    schema.maxItems === undefined ? undefined : `at most ${schema.maxItems} items`,
  ].filter((limit) => limit !== undefined);
  const unit = schema.minLength === undefined && schema.maxLength === undefined ? '' : ' characters';
  return limits.length === 0 ? type : `${type}, ${limits.join(', ')}${unit}`;
}
