/** The script of the API reference, as text: starts Swagger UI with our settings.
 *  1. No validator, no proxy, no settings from the address: nothing is asked of another site, and a link
 *     cannot make the page show another document.
 *  2. A pasted key is not stored. */
export const viewerScript: string = `'use strict';
(() => {
  const place = document.getElementById('reference');
  // Every form begins empty: an example's key would repeat the first request, its filters would hide the rest.
  const withoutExample = ({ example, ...parameter }) =>
    parameter.schema !== undefined && parameter.schema.type === 'object'
      ? { ...parameter, example: {} }
      : parameter;
  const emptied = (document) => {
    for (const operation of Object.values(document.paths).flatMap((each) => Object.values(each))) {
      if (operation.parameters !== undefined) operation.parameters = operation.parameters.map(withoutExample);
    }
    const shared = document.components.parameters;
    for (const name of Object.keys(shared)) shared[name] = withoutExample(shared[name]);
    return document;
  };

  // The page has a heading of its own.
  const ours = () => ({
    wrapComponents: { InfoContainer: () => () => null },
    statePlugins: {
      spec: { wrapActions: { updateJsonSpec: (update) => (document) => update(emptied(document)) } },
    },
  });

  // To where this page came from, whichever of its names the browser used: no other address may be asked.
  const toUs = (request) => {
    const { pathname, search } = new URL(request.url, location.href);
    request.url = location.origin + pathname + search;
    return request;
  };

  SwaggerUIBundle({
    domNode: place,
    url: place.dataset.document,
    plugins: [ours],
    requestInterceptor: toUs,
    validatorUrl: null,
    queryConfigEnabled: false,
    persistAuthorization: false,
    deepLinking: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    defaultModelExpandDepth: 3,
    tryItOutEnabled: true,
    displayRequestDuration: true,
    syntaxHighlight: false,
  });
})();
`;
