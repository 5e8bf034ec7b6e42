declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  /** Draws a reference; see "Configuration" in the documentation of Swagger UI. */
  export default function SwaggerUI(options: Readonly<Record<string, unknown>>): void;
}
