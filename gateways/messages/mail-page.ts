/** The HTML of a mail. Mail programs know little: a table, styles at the elements, no script, no image, nothing
 *  that is loaded from elsewhere. */
import type { Language } from '../../actors/message/messages.ts';
import { html, type Html } from '../pages/html.ts';

export interface Fact {
  readonly label: string;
  readonly value: string;
  /** The one that counts most. */
  readonly main?: boolean;
}

export interface MailPage {
  readonly language: Language;
  readonly subject: string;
  readonly headline: string;
  readonly facts: readonly Fact[];
  readonly link: { readonly label: string; readonly url: string } | null;
  readonly notes: readonly string[];
  /** Stands out at the top. */
  readonly warning: string | null;
}

export const mailPage = ({ language, subject, headline, facts, link, notes, warning }: MailPage): string =>
  html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light">
<title>${subject}</title>
</head>
<body style="margin:0;padding:0;background:#edeae3;color:#17231e">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="background:#edeae3">
<tr><td align="center" style="padding:24px 12px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:560px;
background:#fffdf9;border:1px solid #dbd5c9;border-radius:16px;text-align:left;
font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans','Noto Sans Devanagari',Mangal,sans-serif;
font-size:16px;line-height:1.6;color:#17231e">
${warning === null ? null : strip(warning)}
<tr><td style="padding:24px 24px 8px">
<h1 style="margin:0;font-size:20px;line-height:1.4;font-weight:650;overflow-wrap:anywhere">${headline}</h1>
</td></tr>
<tr><td style="padding:8px 24px 16px">
<table width="100%" cellpadding="0" cellspacing="0" border="0" style="border-collapse:collapse">
${facts.map(row)}
</table>
</td></tr>
${link === null ? null : button(link)}
<tr><td style="padding:0 24px 24px;font-size:14px;color:#55615a">
${notes.map((note) => html`<p style="margin:8px 0 0">${note}</p>`)}
</td></tr>
</table>
</td></tr>
</table>
</body>
</html>
`.toString();

const strip = (
  warning: string,
): Html => html`<tr><td style="padding:10px 24px;background:#fdf0d3;color:#744600;
border-radius:15px 15px 0 0;font-size:14px;font-weight:600">${warning}</td></tr>`;

const row = ({ label, value, main = false }: Fact): Html => html`<tr>
<th scope="row" align="left" valign="top" width="34%" style="padding:10px 12px 10px 0;border-top:1px solid #dbd5c9;
font-size:14px;font-weight:400;color:#55615a">${label}</th>
<td valign="top" style="padding:10px 0;border-top:1px solid #dbd5c9;overflow-wrap:anywhere;word-break:break-word">
${main ? html`<strong style="font-size:20px;line-height:1.3">${value}</strong>` : html`<bdi>${value}</bdi>`}</td>
</tr>`;

const button = ({ label, url }: { readonly label: string; readonly url: string }): Html => html`<tr>
<td style="padding:0 24px 16px"><a href="${url}" style="display:inline-block;padding:12px 20px;background:#0b5b48;
color:#ffffff;text-decoration:none;border-radius:10px;font-weight:600">${label}</a></td></tr>`;
