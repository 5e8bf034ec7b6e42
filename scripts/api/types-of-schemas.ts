import { registerHooks } from 'node:module';

/**
 * TypeScript for the schemas of an API document.
 * @param schemas By name; they may refer to each other as `#/components/schemas/<name>`.
 * @param namesThem Whether each schema is also exported as a type of its own name.
 */
export async function typesOfSchemas(schemas: object, namesThem = false): Promise<string> {
  // It uses the compiler's API, which TypeScript 7, the project's compiler, does not have.
  registerHooks({ resolve: (name, context, next) => next(name === 'typescript' ? 'typescript-5' : name, context) });
  const { astToString, default: openapiTS } = await import('openapi-typescript');
  const { default: ts } = await import('typescript-5');
  const document = { openapi: '3.1.0', info: { title: '', version: '' }, paths: {}, components: { schemas } };
  const types = await openapiTS(JSON.stringify(document), {
    immutable: true,
    defaultNonNullable: false,
    emptyObjectsUnknown: true,
    rootTypes: namesThem,
    rootTypesNoSchemaPrefix: namesThem,
    transform: ({ format }) => (format === 'binary' ? ts.factory.createTypeReferenceNode('Blob') : undefined),
  });
  return astToString(types);
}
