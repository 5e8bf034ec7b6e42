/** Real requests and replies of the local stack, recorded by test/flows/api-examples.test.ts. */
export interface ApiExamples {
  /** By operationId. */
  readonly operations: Readonly<
    Record<string, { readonly request?: unknown; readonly replies: Readonly<Record<string, unknown>> }>
  >;
  /** By status. */
  readonly errors: Readonly<Record<string, unknown>>;
  /** By the type of the event. */
  readonly events: Readonly<Record<string, unknown>>;
}
