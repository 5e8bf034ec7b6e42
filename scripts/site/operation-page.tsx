import {
  bodyOf,
  exampleOf,
  failuresOf,
  keyOf,
  successesOf,
  type ApiDocument,
  type Operation,
  type Parameter,
} from './api-document.ts';
import { FieldItem, FieldList, SchemaFields } from './fields.tsx';
import { Code, Description } from './html.tsx';
import { samplesOf } from './samples.ts';

interface OperationProps {
  readonly document: ApiDocument;
  readonly operation: Operation;
}

/** How descriptions end; the page says it with the key. */
const SCOPE = /\s*Scope: [^.]*\.$/;

const PLACES = { path: 'Path', query: 'Query', header: 'Headers' } as const;

/** The page of an operation or an event: what it takes and gives on one side, examples on the other. */
export function OperationPage({ document, operation }: OperationProps) {
  const { summary, description, parameters = [], isEvent } = operation;
  const body = bodyOf(operation);
  return (
    <div class="operation">
      <div>
        <h1>{isEvent ? <code>{operation.path}</code> : summary}</h1>
        {isEvent ? <p>{summary}.</p> : <Endpoint operation={operation} />}
        {description !== undefined && <Description text={description.replace(SCOPE, '')} />}
        {!isEvent && <Credentials operation={operation} />}
      </div>
      <div class="examples">
        {isEvent ? <Example title="Body" value={body?.example} /> : <Requests operation={operation} />}
        {successesOf(operation).map(({ status, example }) => (
          <Example key={status} title={`Reply ${status}`} value={example} />
        ))}
      </div>
      <div>
        {(['path', 'query', 'header'] as const).map((place) => (
          <Parameters
            key={place}
            document={document}
            title={PLACES[place]}
            parameters={parameters.filter((parameter) => parameter.in === place)}
          />
        ))}
        {body?.schema !== undefined && (
          <>
            <h2 id="body">Body</h2>
            <SchemaFields document={document} schema={body.schema} />
          </>
        )}
        {isEvent ? <Answers operation={operation} /> : <Replies document={document} operation={operation} />}
      </div>
    </div>
  );
}

function Endpoint({ operation: { method, path } }: { readonly operation: Operation }) {
  return (
    <p class="endpoint">
      <span class={`method ${method}`}>{method.toUpperCase()}</span> <code>{path}</code>
    </p>
  );
}

function Credentials({ operation }: { readonly operation: Operation }) {
  const key = keyOf(operation);
  const scopes = operation['x-scopes'] ?? [];
  if (key === 'none') return <p class="muted">Public: needs no key.</p>;
  if (key === 'operator') {
    return (
      <p class="muted">
        Needs the operator's key, in the header <code>x-admin-secret-key</code>.
      </p>
    );
  }
  return (
    <p class="muted">
      Needs a <a href="/docs/keys">key</a> of the account, in the header <code>x-api-key</code>
      {scopes.length > 0 && (
        <>
          , with the scope{' '}
          {scopes.map((scope, index) => (
            <span key={scope}>
              {index > 0 && ' or '}
              <code>{scope}</code>
            </span>
          ))}
        </>
      )}
      .
    </p>
  );
}

function Parameters(props: {
  readonly document: ApiDocument;
  readonly title: string;
  readonly parameters: readonly Parameter[];
}) {
  const { document, title, parameters } = props;
  if (parameters.length === 0) return null;
  return (
    <>
      <h2 id={title.toLowerCase()}>{title}</h2>
      <FieldList>
        {parameters.map(({ name, description, required = false, schema }) => (
          <FieldItem
            key={name}
            document={document}
            field={{
              name,
              isRequired: required,
              schema: { ...schema, ...(description !== undefined && { description }) },
            }}
          />
        ))}
      </FieldList>
    </>
  );
}

function Replies({ document, operation }: OperationProps) {
  return (
    <>
      {successesOf(operation).map(({ status, description, schema }) => (
        <section key={status}>
          <h2 id={`reply-${status}`}>Reply {status}</h2>
          <Description text={description} />
          {schema !== undefined && <SchemaFields document={document} schema={schema} />}
        </section>
      ))}
      <h2 id="errors">Errors</h2>
      <p>
        Every error has <a href="/docs/errors">one form</a>, whose <code>code</code> says what is wrong.
      </p>
      <dl class="statuses">
        {failuresOf(document, operation).map(({ status, description }) => (
          <div key={status}>
            <dt>{status}</dt>
            <dd>
              <Description text={description} />
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}

/** What the receiver of an event replies. */
function Answers({ operation }: { readonly operation: Operation }) {
  return (
    <>
      <h2 id="reply">Your reply</h2>
      <dl class="statuses">
        {Object.entries(operation.responses).map(([status, { description = '' }]) => (
          <div key={status}>
            <dt>{status}</dt>
            <dd>{description}</dd>
          </div>
        ))}
      </dl>
      <p>
        <a href="/docs/webhooks">Webhooks</a> says how to set an endpoint and to check a signature.
      </p>
    </>
  );
}

/** The request in each language, one of which is shown. It needs no script. */
function Requests({ operation }: { readonly operation: Operation }) {
  return (
    <>
      <fieldset class="tabs">
        <legend class="visually-hidden">Language of the example</legend>
        {samplesOf(operation).map(({ title, language, code }, index) => (
          <div class="tab" key={title}>
            <label>
              <input type="radio" name="language" value={title} checked={index === 0} />
              <span>{title}</span>
            </label>
            <Code code={code} language={language} />
          </div>
        ))}
      </fieldset>
      <div id="try-it" />
      <script
        type="application/json"
        id="operation"
        // JSON that cannot end the element it stands in.
        dangerouslySetInnerHTML={{ __html: JSON.stringify(formOf(operation)).replaceAll('<', String.raw`\u003c`) }}
      />
    </>
  );
}

/** What the page's form needs to know of an operation (src/pages/site/try-it.tsx). */
function formOf(operation: Operation) {
  const body = bodyOf(operation);
  return {
    method: operation.method.toUpperCase(),
    path: operation.path,
    key: keyOf(operation),
    parameters: (operation.parameters ?? []).map((parameter) => ({
      name: parameter.name,
      in: parameter.in,
      isRequired: parameter.required === true,
      example: exampleOf(parameter),
    })),
    body: body?.mediaType === 'application/json' ? JSON.stringify(body.example, null, 2) : undefined,
    fileAs: { 'multipart/form-data': 'form', 'text/csv': 'body' }[body?.mediaType ?? ''],
  };
}

function Example({ title, value }: { readonly title: string; readonly value: unknown }) {
  if (value === undefined) return null;
  const isText = typeof value === 'string';
  return (
    <figure>
      <figcaption>{title}</figcaption>
      <Code code={isText ? value : JSON.stringify(value, null, 2)} language={isText ? '' : 'json'} />
    </figure>
  );
}
