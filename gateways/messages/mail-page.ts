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

/** The whole message in one language. */
export interface MailPart {
  readonly language: Language;
  readonly headline: string;
  readonly facts: readonly Fact[];
  readonly link: { readonly label: string; readonly url: string } | null;
  readonly notes: readonly string[];
  /** Stands out at the top of the mail. */
  readonly warning: string | null;
}

export interface MailPage {
  readonly subject: string;
  /** One for each language, at least one. */
  readonly parts: readonly [MailPart, ...MailPart[]];
}

export const mailPage = ({ subject, parts }: MailPage): string => {
  const warnings = parts.filter(({ warning }) => warning !== null);
  return html`<!doctype html>
<html lang="${parts[0].language}">
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
${warnings.length === 0 ? null : strip(warnings)}
${parts.map(section)}
</table>
</td></tr>
</table>
</body>
</html>
`.toString();
};

/** One language. A line divides it from the one before. */
const section = ({ language, headline, facts, link, notes }: MailPart, at: number): Html => html`
${at === 0 ? null : divider}
<tr><td lang="${language}" style="padding:24px 24px 8px">
<h1 style="margin:0;font-size:20px;line-height:1.4;font-weight:650;overflow-wrap:anywhere">${headline}</h1>
</td></tr>
<tr><td lang="${language}" style="padding:8px 24px 16px">
<table width="100%" cellpadding="0" cellspacing="0" border="0" style="border-collapse:collapse">
${facts.map(row)}
</table>
</td></tr>
${link === null ? null : button(link, language)}
<tr><td lang="${language}" style="padding:0 24px 24px;font-size:14px;color:#55615a">
${notes.map((note) => html`<p style="margin:8px 0 0">${note}</p>`)}
</td></tr>`;

const divider = html`<tr><td style="height:6px;padding:0;background:#edeae3;font-size:0;line-height:0"></td></tr>`;

const strip = (
  parts: readonly MailPart[],
): Html => html`<tr><td style="padding:10px 24px;background:#fdf0d3;color:#744600;
border-radius:15px 15px 0 0;font-size:14px;font-weight:600">${parts.map(
  ({ language, warning }) => html`<div lang="${language}">${warning}</div>`,
)}</td></tr>`;

const row = ({ label, value, main = false }: Fact): Html => html`<tr>
<th scope="row" align="left" valign="top" width="34%" style="padding:10px 12px 10px 0;border-top:1px solid #dbd5c9;
font-size:14px;font-weight:400;color:#55615a">${label}</th>
<td valign="top" style="padding:10px 0;border-top:1px solid #dbd5c9;overflow-wrap:anywhere;word-break:break-word">
${main ? html`<strong style="font-size:20px;line-height:1.3">${value}</strong>` : html`<bdi>${value}</bdi>`}</td>
</tr>`;

const button = (
  { label, url }: NonNullable<MailPart['link']>,
  language: MailPart['language'],
): Html => html`<tr>
<td lang="${language}" style="padding:0 24px 16px">
<a href="${url}" style="display:inline-block;padding:12px 20px;background:#0b5b48;
color:#ffffff;text-decoration:none;border-radius:10px;font-weight:600">${label}</a></td></tr>`;
