/** The script of the API reference, as text: starts Swagger UI with our settings.
 *  1. No validator, no proxy, no settings from the address: nothing is asked of another site, and a link
 *     cannot make the page show another document.
 *  2. A pasted key is not stored. */
export const viewerScript: string = `'use strict';
(() => {
  const place = document.getElementById('reference');
  // The page has a heading of its own.
  const ownHeading = () => ({ wrapComponents: { InfoContainer: () => () => null } });

  // To where this page came from, whichever of its names the browser used: no other address may be asked.
  const toUs = (request) => {
    const { pathname, search } = new URL(request.url, location.href);
    request.url = location.origin + pathname + search;
    return request;
  };

  SwaggerUIBundle({
    domNode: place,
    url: place.dataset.document,
    plugins: [ownHeading],
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
