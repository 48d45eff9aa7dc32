// Reads CAA records (RFC 8659 3) through the one door outwards. No answer is no consent: a name server that fails, or answers only in part, refuses the name.

import type { House } from '#core/server/house.ts'
import { OutwardError } from '#core/server/outward/refusal.ts'
import { caaNames, judgeCaa, type CaaQuestion } from '#standards/acme/caa.ts'
import { problemOf, type Problem } from '#standards/acme/problem.ts'
import type { DirectorySettings } from '../contract.ts'

type Asked = Omit<CaaQuestion, 'identities'> & { name: string; servers?: readonly string[] | undefined }

export async function caaProblem(
  house: House,
  tenantId: string,
  { caaIdentities: identities, nameServers }: Pick<DirectorySettings, 'caaIdentities' | 'nameServers'>,
  { name, servers = nameServers.length === 0 ? undefined : nameServers, ...question }: Asked,
  note: (step: string) => void = () => {},
): Promise<Problem | undefined> {
  if (identities.length === 0) return undefined
  for (const domain of caaNames(name)) {
    try {
      const records = await house.outward.query({ name: domain, type: 'CAA', servers, tenantId })
      if (records.length === 0) {
        note(`CAA ${domain}: no record`)
        continue
      }
      note(`CAA ${domain}: ${records.map(({ critical, tag, value }) => `${critical ? '128' : '0'} ${tag} "${value}"`).join(', ')}`)
      const verdict = judgeCaa(records, { ...question, identities })
      return verdict.allowed ? undefined : problemOf('caa', `The CAA record of ${domain} forbids it: ${verdict.because}`)
    } catch (error) {
      if (!(error instanceof OutwardError)) throw error
      note(`CAA ${domain}: ${error.message}`)
      return problemOf('caa', `The CAA record of ${domain} could not be read: ${error.message}`)
    }
  }
  return undefined
}
