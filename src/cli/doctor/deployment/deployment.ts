/** What `galla doctor --deployment FILE` finds in the files that start a service: a unit of systemd, or objects of
 *  Kubernetes. They are read as text; no service manager is asked. */
import { readFileSync } from 'node:fs';
import { findingsOf, type Finding } from '../../../kernel/finding.ts';
import { kubernetesFindings } from './kubernetes.ts';
import { unitFindings } from './unit.ts';

export function deploymentFindings(file: string): readonly Finding[] {
  const { problem } = findingsOf('deployment');
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (thrown) {
    const { code = 'unreadable' } = thrown as NodeJS.ErrnoException;
    return [problem(`${file} cannot be read (${code}): name a unit of systemd, or a file of Kubernetes`)];
  }
  return /^\[Service\]$/m.test(text) ? unitFindings(file, text) : kubernetesFindings(file, text);
}
