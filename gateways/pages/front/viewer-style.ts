/** The look of the API reference, as text: Swagger UI in the colours and type of our pages. Swagger UI's own
 *  stylesheet is a cascade layer (config/vite.config.ts), so a rule here needs no more than to name its
 *  element. Boundary: appearance only. */
const frame = `
:root{--blue:#1a4f9c;--blue-tint:#e5eefb}
@media (prefers-color-scheme:dark){:root{--blue:#9cc2ff;--blue-tint:#1a2b45}}
.reference .intro{padding:.5rem 0 1.25rem}
.reference .intro h1{font-size:1.75rem;line-height:1.25;font-weight:680;letter-spacing:-.015em}
.reference .intro p{margin-top:.5rem;max-width:44rem}
.reference .intro code{font:500 .875em/1.5 var(--mono);color:var(--ink)}
.reference .intro b{color:var(--ink);font-weight:650}
.guides ul{list-style:none;margin-top:1rem;display:flex;flex-wrap:wrap;gap:.5rem}
.guides a{display:grid;place-items:center;min-height:2.75rem;padding:0 .875rem;background:var(--paper);
border:1px solid var(--line);border-radius:.75rem;font-size:.9375rem;text-decoration:none}
.guides a:hover{background:var(--tint);border-color:var(--accent)}
.crumbs [aria-current]{color:inherit;font-weight:650;text-decoration:none}
.note{padding:1rem 1.25rem;margin-top:1rem}
`;

const ground = `
.swagger-ui,.swagger-ui *{color:inherit;background-color:transparent;border-color:var(--line);font-family:inherit;
text-shadow:none;box-shadow:none}
.swagger-ui{color:var(--ink);font:400 .9375rem/1.5 var(--sans);overflow-wrap:break-word}
.swagger-ui .wrapper{max-width:none;padding:0}
.swagger-ui :is(code,pre,pre *,textarea,.opblock-summary-path,.opblock-summary-path *,.parameter__name,
.parameter__type,
.response-col_status,.json-schema-2020-12__title,.json-schema-2020-12__attribute,.json-schema-2020-12__constraint,
.json-schema-2020-12-keyword__value){font-family:var(--mono)}
.swagger-ui :is(p,li,td,th,label,small){font-size:.9375rem}
.swagger-ui :is(.markdown,.renderedMarkdown) :is(p,ul,pre){margin:0}
.swagger-ui :is(.markdown,.renderedMarkdown) :is(p,ul)+:is(p,ul){margin-top:.5rem}
.swagger-ui :is(.markdown,.renderedMarkdown) ul{padding-left:1.25rem}
.swagger-ui :is(.markdown,.renderedMarkdown) li{margin-top:.125rem}
.swagger-ui :is(.markdown,.renderedMarkdown) code{background:var(--well);font-size:.875em;font-weight:500;
padding:.0625rem .25rem;border-radius:.25rem}
.swagger-ui :is(.markdown,.renderedMarkdown) a{color:var(--accent)}
.swagger-ui svg{fill:currentColor;color:var(--soft);opacity:1}
.swagger-ui .loading-container .loading::after{font-family:var(--sans);color:var(--soft)}
.swagger-ui .loading-container .loading::before{border-color:var(--edge) var(--line) var(--line)}
.swagger-ui .errors-wrapper{margin:1rem 0;background:var(--bad-tint);border:1px solid var(--bad);
border-radius:.875rem}
.swagger-ui :is(input,textarea,select,button,.btn,a,[role=button],.opblock-summary-control):focus-visible{
outline:3px solid var(--focus);outline-offset:2px}
.swagger-ui :focus:not(:focus-visible){outline:none}
`;

const rows = `
.swagger-ui .scheme-container{margin:0;padding:0}
.swagger-ui .scheme-container .schemes.wrapper{justify-content:flex-start}
.swagger-ui .scheme-container .schemes>.schemes-server-container{display:none}
.swagger-ui .opblock-tag-section{margin-top:1.5rem}
.swagger-ui .opblock-tag{padding:.5rem 0;margin:0 0 .375rem;border:0;min-height:3rem;gap:0 .75rem;font-size:1.25rem;
font-weight:680;letter-spacing:-.01em}
.swagger-ui .opblock-tag a{text-decoration:none}
.swagger-ui .opblock-tag .expand-operation{margin-left:auto}
.swagger-ui .opblock-tag small{padding:0;font-weight:400;letter-spacing:0}
.swagger-ui .opblock-tag small,.swagger-ui .opblock-tag small p{color:var(--soft)}
.swagger-ui .opblock{margin:0 0 .5rem;background:var(--paper);border:1px solid var(--line);border-radius:.875rem;
overflow:hidden}
.swagger-ui .opblock:not(.is-open):hover{background:var(--tint);border-color:var(--accent)}
.swagger-ui .opblock .opblock-summary{padding:.375rem .75rem;min-height:3.25rem}
.swagger-ui .opblock.is-open .opblock-summary{border-bottom:1px solid var(--line)}
.swagger-ui .opblock .opblock-summary-method{min-width:4.25rem;padding:.25rem 0;border-radius:.4375rem;
font:650 .75rem/1.5 var(--mono);letter-spacing:.02em;background:var(--well)}
.swagger-ui .opblock-get .opblock-summary-method{background:var(--blue-tint);color:var(--blue)}
.swagger-ui .opblock-post .opblock-summary-method{background:var(--good-tint);color:var(--good)}
.swagger-ui :is(.opblock-patch,.opblock-put) .opblock-summary-method{background:var(--warn-tint);color:var(--warn)}
.swagger-ui .opblock-delete .opblock-summary-method{background:var(--bad-tint);color:var(--bad)}
.swagger-ui .opblock .opblock-summary-path{font-size:.875rem;font-weight:600}
.swagger-ui .opblock .opblock-summary-path a{text-decoration:none}
.swagger-ui .opblock .opblock-summary-description{font-size:.9375rem;color:var(--soft)}
.swagger-ui .opblock-summary .view-line-link{display:none}
`;

const inside = `
.swagger-ui .opblock .opblock-section-header{background:var(--well);border:solid var(--line);border-width:1px 0;
min-height:3rem;padding:.375rem 1.25rem}
.swagger-ui .opblock .opblock-section-header :is(h4,label){font-size:.9375rem;font-weight:650}
.swagger-ui .opblock .tab-header .tab-item{cursor:default}
.swagger-ui .opblock .tab-header .tab-item.active h4 span::after,.swagger-ui .try-out{display:none}
.swagger-ui :is(.opblock-description-wrapper,.table-container,.responses-inner,
.opblock-section-request-body .opblock-description-wrapper){margin:0;padding:1rem 1.25rem}
.swagger-ui .opblock-section-request-body>div:not(.opblock-section-header){padding:0 1.25rem}
.swagger-ui .opblock-section-request-body .opblock-description-wrapper{padding:1rem 0}
.swagger-ui .responses-inner :is(h4,h5){font-size:.875rem;font-weight:650;margin:1rem 0 .375rem;padding:0}
.swagger-ui .responses-inner>div>h4:first-child,.swagger-ui td>div:first-child>h5{margin-top:0}
.swagger-ui table thead tr :is(th,td){font-size:.8125rem;font-weight:600;color:var(--soft);
padding:.375rem 1rem .375rem 0}
.swagger-ui table tbody tr td{padding:.75rem 1rem 0 0;vertical-align:top}
.swagger-ui table.parameters tbody tr td:first-of-type{width:12rem;max-width:none;min-width:0}
.swagger-ui .parameter__name{font-size:.875rem;font-weight:600}
.swagger-ui .parameter__name.required span,.swagger-ui .parameter__name.required::after{color:var(--bad)}
.swagger-ui .opblock-section-header .opblock-title{font-family:var(--sans)}
.swagger-ui :is(.parameter__type,.parameter__in,.parameter__extension){font-size:.8125rem;color:var(--soft);
font-weight:400;
padding:0;font-style:normal}
.swagger-ui .parameter__in{display:none}
.swagger-ui table.headers :is(td,.header-col,.header-col p){font-size:.8125rem;font-weight:400;
padding:.125rem 1rem .125rem 0}
.swagger-ui table.headers .header-col:first-child{font-weight:600}
.swagger-ui .response:is([data-code="400"],[data-code="401"],[data-code="402"],[data-code="403"],[data-code="404"],
[data-code="413"],[data-code="415"],[data-code="500"]) .headers-wrapper{display:none}
.swagger-ui .response-col_status{font-size:.875rem;font-weight:600;line-height:1.5rem;width:4.5rem;min-width:0}
.swagger-ui :is(.response-col_links,.response-control-media-type__accept-message){display:none}
.swagger-ui table.responses-table .response>td{padding:.875rem 0}
.swagger-ui table.responses-table>tbody>.response:nth-child(n+2)>td{border-top:1px solid var(--line)}
.swagger-ui .response-controls{padding-top:.75rem;gap:.75rem}
.swagger-ui :is(.response-control-media-type__title,.response-control-examples__title,
.examples-select__section-label){
font-size:.8125rem;font-weight:600;color:var(--soft)}
`;

const texts = `
.swagger-ui :is(input[type=text],input[type=password],select){min-height:2.75rem;margin:0;padding:.375rem .75rem;
background-color:var(--well);border:1.5px solid var(--edge);border-radius:.625rem;font-size:1rem}
.swagger-ui select{appearance:auto;background-image:none;font-size:.9375rem;font-weight:400;max-width:100%}
.swagger-ui textarea{min-height:9rem;padding:.75rem .875rem;background:var(--well);border:1.5px solid var(--edge);
border-radius:.75rem;font-size:.8125rem;font-weight:500;line-height:1.6}
.swagger-ui .body-param textarea.body-param__text{height:16rem}
.swagger-ui table.parameters :is(input[type=text],select){width:100%;max-width:24rem;margin-top:.375rem}
.swagger-ui ::placeholder{color:var(--soft);opacity:1}
.swagger-ui .opblock-body pre,.swagger-ui .opblock-body pre.microlight,.swagger-ui .highlight-code>.microlight{
margin:0;
min-height:0;max-height:26rem;overflow:auto;padding:.75rem .875rem;background:var(--well);
border:1px solid var(--line);
border-radius:.75rem;font-size:.8125rem;font-weight:500;line-height:1.6;white-space:pre-wrap;overflow-wrap:anywhere;
word-break:normal;hyphens:none}
.swagger-ui pre code{font-size:inherit;font-weight:inherit}
.swagger-ui .markdown pre{padding:0;background:none;border:0}
.swagger-ui .headerline{display:block}
.swagger-ui .curl-command,.swagger-ui .highlight-code{position:relative}
.swagger-ui :is(.copy-to-clipboard,.curl-command .copy-to-clipboard){right:.5rem;bottom:.5rem;width:2rem;
height:2rem;
background:#525c57;border-radius:.5rem}
.swagger-ui :is(.copy-to-clipboard,.curl-command .copy-to-clipboard) button{width:100%;height:100%;padding:0;
background-position:center}
.swagger-ui .download-contents{right:3rem;bottom:.5rem;height:2rem;width:auto;padding:0 .75rem;background:#525c57;
color:#fff;border-radius:.5rem;font-size:.8125rem;font-weight:600}
`;

const controls = `
.swagger-ui .btn{min-height:2.75rem;padding:.375rem 1.125rem;border:1.5px solid var(--edge);border-radius:.75rem;
font-size:.9375rem;font-weight:650;line-height:1.25}
.swagger-ui .btn:hover{background:var(--tint);border-color:var(--accent)}
.swagger-ui .btn:is(.execute,.authorize){background:var(--accent);border-color:var(--accent);color:var(--on-accent)}
.swagger-ui .btn:is(.execute,.authorize):hover{background:var(--accent-strong);border-color:var(--accent-strong)}
.swagger-ui .scheme-container .schemes .auth-wrapper .btn.authorize{display:flex;align-items:center;gap:.625rem;
padding:.375rem 1.125rem}
.swagger-ui .btn.authorize :is(span,svg){color:inherit;padding:0;float:none}
.swagger-ui .opblock :is(.execute-wrapper,.btn-group){padding:1rem 1.25rem}
.swagger-ui .btn-group{display:flex;gap:.625rem}
.swagger-ui .btn-group .btn{flex:1;border-radius:.75rem}
.swagger-ui .btn-clear{margin:0}
.swagger-ui .authorization__btn{border:0;padding:0;width:2.75rem;height:2.75rem;display:grid;place-items:center}
.swagger-ui .opblock-control-arrow{width:2.25rem;height:2.75rem;padding:0;display:grid;place-items:center}
.swagger-ui .tab{gap:.25rem;margin:.5rem 0 .25rem;padding:0}
.swagger-ui .tab li{padding:0;font-size:.8125rem}
.swagger-ui .tab li::after{display:none}
.swagger-ui .tab li button.tablinks{min-height:2.25rem;padding:0 .625rem;border-radius:.5rem;color:var(--soft);
font-weight:600}
.swagger-ui .tab li.active button.tablinks{color:var(--ink);background:var(--tint)}
.swagger-ui .dialog-ux .backdrop-ux{background:rgb(0 0 0/.55)}
.swagger-ui .dialog-ux .modal-ux{background:var(--paper);border:1px solid var(--line);border-radius:1.25rem;
box-shadow:var(--lift);width:min(31rem,calc(100vw - 2rem));min-width:0;max-width:none;overflow:hidden}
.swagger-ui .dialog-ux .modal-ux-header{padding:.25rem .5rem .25rem 0;border-bottom:1px solid var(--line)}
.swagger-ui .dialog-ux .modal-ux-header h3{font-size:1.125rem;font-weight:680;padding:.5rem 1.25rem}
.swagger-ui .dialog-ux .modal-ux-header .close-modal{width:2.75rem;height:2.75rem;display:grid;place-items:center}
.swagger-ui .dialog-ux .modal-ux-content{padding:.5rem 1.25rem 1rem}
.swagger-ui .dialog-ux .modal-ux-content h4{font-size:.9375rem;font-weight:650;margin:.5rem 0 .25rem}
.swagger-ui .dialog-ux .modal-ux-content :is(p,h6){font-size:.9375rem;color:var(--soft);margin:0}
.swagger-ui .auth-container{padding:.5rem 0 1rem;margin:0;border-bottom:1px solid var(--line)}
.swagger-ui .auth-container:last-of-type{border-bottom:0}
.swagger-ui .auth-container .wrapper{padding:.375rem 0 0}
.swagger-ui .auth-container label{font-size:.875rem;font-weight:600;margin:0}
.swagger-ui .auth-container input{width:100%;max-width:none;min-width:0;margin-top:.25rem}
.swagger-ui .auth-btn-wrapper{justify-content:flex-start;gap:.625rem;padding:.75rem 0 0}
.swagger-ui .auth-btn-wrapper .btn{margin:0}
`;

const schemas = `
.swagger-ui section.models{border:1px solid var(--line);border-radius:.875rem;background:var(--paper);
margin:2rem 0 0;
padding:0 1.25rem}
.swagger-ui section.models h4{font-size:1.25rem;font-weight:680;margin:0;padding:.5rem 0;border:0}
.swagger-ui section.models h4 button{min-height:2.75rem}
.swagger-ui .json-schema-2020-12{margin:0 0 .5rem;padding:0}
.swagger-ui :is(.model-box,.model-container){padding:0;margin:0}
.swagger-ui .json-schema-2020-12-body{border-left:1px solid var(--line);margin:.25rem 0 .25rem .3125rem;
padding-left:1rem}
.swagger-ui .json-schema-2020-12__title{font-size:.8125rem;font-weight:600}
.swagger-ui .json-schema-2020-12-property{padding:.25rem 0}
.swagger-ui .json-schema-2020-12-property--required>.json-schema-2020-12:first-of-type>.json-schema-2020-12-head
.json-schema-2020-12__title::after{color:var(--bad)}
.swagger-ui .json-schema-2020-12 :is(.markdown p,.renderedMarkdown p,p){font-size:.875rem;color:var(--soft)}
.swagger-ui .json-schema-2020-12__attribute{font-size:.8125rem;text-transform:none;color:var(--soft)}
.swagger-ui .json-schema-2020-12__attribute--primary{color:var(--accent)}
.swagger-ui .json-schema-2020-12__constraint{background:var(--tint);font-size:.75rem;border-radius:.375rem}
.swagger-ui :is(.json-schema-2020-12-keyword__name,.json-schema-2020-12-keyword__value){font-size:.8125rem;
color:var(--soft)}
.swagger-ui .json-schema-2020-12-keyword__value{color:var(--ink);border-color:var(--line)}
.swagger-ui :is(.json-schema-2020-12-accordion,.json-schema-2020-12-expand-deep-button){min-height:1.75rem;
color:inherit}
.swagger-ui .json-schema-2020-12-property .json-schema-2020-12-expand-deep-button{display:none}
.swagger-ui .json-schema-2020-12-expand-deep-button{color:var(--accent);font-size:.8125rem}
`;

const narrow = `
@media (max-width:40rem){
.reference .crumbs{gap:0 .75rem;font-size:.875rem}
.swagger-ui .opblock .opblock-summary{padding:.5rem .375rem .5rem .75rem}
.swagger-ui .opblock .opblock-section-header,.swagger-ui .opblock :is(.execute-wrapper,.btn-group),
.swagger-ui :is(.opblock-description-wrapper,.table-container,.responses-inner){padding-left:.875rem;
padding-right:.875rem}
.swagger-ui .opblock-section-request-body>div:not(.opblock-section-header){padding:0 .875rem}
.swagger-ui .opblock-tag{flex-wrap:wrap}
.swagger-ui .opblock-tag small{order:1;flex:1 0 100%}
.swagger-ui table.parameters :is(tbody,tr,td){display:block}
.swagger-ui table.parameters thead{display:none}
.swagger-ui table.parameters tbody tr{padding-bottom:1rem}
.swagger-ui table.parameters tbody tr td:has(.model-box){max-width:none}
.swagger-ui .parameters-col_description{margin:0}
.swagger-ui table.parameters tbody tr td,.swagger-ui table.parameters tbody tr td:first-of-type{width:auto;
padding:.25rem 0 0}
.swagger-ui .response-col_status{width:3.25rem}
}
`;

export const viewerStyle: string = [frame, ground, rows, inside, texts, controls, schemas, narrow].join('');
