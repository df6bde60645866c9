/** What is sent of a mail: text and HTML that say the same. */
import type { Written } from '../../actors/message/messages.ts';
import { plain } from '../../src/kernel/text.ts';
import { mailPage, type MailPage, type MailPart } from './mail-page.ts';

/** One line, without characters that change what stands beside it. */
export const line = (text: string): string =>
  plain(text)
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim();

export const writtenMail = (to: string, { subject, parts }: MailPage): Written => ({
  to,
  subject,
  text: parts.map(asText).join(betweenParts),
  html: mailPage({ subject, parts }),
});

const betweenParts = `\n${'-'.repeat(40)}\n\n`;

function asText({ headline, facts, link, notes, warning }: MailPart): string {
  const paragraphs = [
    headline,
    facts.map(({ label, value }) => `${label}: ${value}`).join('\n'),
    ...(link === null ? [] : [`${link.label}:\n${link.url}`]),
    notes.join('\n'),
    ...(warning === null ? [] : [warning]),
  ];
  return `${paragraphs.join('\n\n')}\n`;
}
