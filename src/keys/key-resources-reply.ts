import { z } from 'zod';
import { recordIdField } from '../core/fields.ts';
import { KEY_RESOURCES, type KeyResource } from './key-resources.store.ts';

const listOf = (what: string) =>
  z
    .object({
      count: z.int().meta({ description: `How many ${what}`, example: 1 }),
      ids: z.array(recordIdField).meta({ description: 'Their ids, newest first, at most 100' }),
    })
    .meta({ description: `The ${what}` });

export const keyResourcesSchema = z
  .object({
    claims: listOf('OPEN claims that it made'),
    endpoints: listOf('webhook endpoints that it created'),
    contracts: listOf('contracts that it registered'),
    collections: listOf('contracts whose current collection metadata it wrote, collaborators included'),
  })
  .meta({ id: 'KeyResources' });

export function keyResourcesReply(
  found: ReadonlyMap<KeyResource, { readonly count: number; readonly ids: readonly string[] }>,
): z.output<typeof keyResourcesSchema> {
  const of = (resource: KeyResource) => {
    const { count, ids } = found.get(resource) ?? { count: 0, ids: [] };
    return { count, ids: [...ids] };
  };
  const [claims, endpoints, contracts, collections] = KEY_RESOURCES;
  return { claims: of(claims), endpoints: of(endpoints), contracts: of(contracts), collections: of(collections) };
}
