// Opens a PKI with a template of each renewal mode, whose certificates live for 90 days, so that they can be renewed from the 60th on.

import { authorities } from '#areas/authorities/contract.ts'
import { certificates } from '#areas/certificates/contract.ts'
import { openIssuing, openSsl, type IssuingFixture, type OpenSsl } from '#areas/certificates/server/issuing.fixture.ts'
import { mail } from '#areas/mail/contract.ts'
import { templatePresets } from '#areas/templates/presets.ts'
import type { Extensions } from '#areas/templates/rules.ts'
import { openTestHouse, type TestHouse, type TestPerson } from '#core/testing/house.ts'
import { renewal } from '../contract.ts'

export const day = 86_400_000

export type RenewalFixture = IssuingFixture & {
  house: TestHouse
  tools: OpenSsl
  /** Holds certificates, and may do nothing else. */
  grace: TestPerson
  /** A template out of a preset, with another way of renewal. */
  template90(
    preset: 'Device' | 'User',
    renewalMode: Extensions['renewalMode'],
    change?: Parameters<IssuingFixture['addTemplate']>[1],
  ): Promise<string>
  /** With a key of its own, unless it is to have that of another. */
  device(templateId: string, dns: string, keyFile?: string): Promise<{ certificateId: string; keyFile: string }>
  /** Grace's own, with a key that is made here. */
  collected(templateId: string): Promise<string>
  check(certificateId: string, who?: TestPerson): Promise<Checked>
  pemOf(certificateId: string): Promise<string>
  /** Certificates of this name, however they came about. */
  named(name: string): Promise<{ certificateId: string; serialNumber: string }[]>
  mails(subject: string | RegExp): Promise<string[]>
  verify(certificateId: string): Promise<string>
  publicKey(certificateId: string): Promise<string>
  close(): Promise<void>
}

type Checked = Awaited<ReturnType<typeof check>>
const check = (who: TestPerson, certId: string) => who.call(renewal.calls.info, { certId })

export async function openRenewalFixture(): Promise<RenewalFixture> {
  const house = await openTestHouse()
  const tools = openSsl()
  const pki = await openIssuing(house, tools, 'Acme')
  const grace = await pki.tenancy.person({ permissions: [], username: 'grace', givenName: 'Grace', familyName: 'Hopper' })
  const { ada, addTemplate, chainFile, rootFile } = pki
  const pemOf = async (certId: string) => (await ada.call(certificates.calls.info, { certId })).certificate.pem
  return {
    ...pki,
    house,
    tools,
    grace,
    pemOf,
    template90(name, renewalMode, change = {}) {
      const preset = templatePresets.find(({ templateName }) => templateName === name)
      if (preset === undefined) throw new Error(`There is no preset ${name}`)
      return addTemplate(name, {
        issueApprovers: 0,
        selfServiceEligible: name === 'User',
        ...change,
        extensions: { ...preset.extensions, validityPeriod: 90, validityPeriodUnits: 'DAYS', renewalMode, ...change.extensions },
      })
    },
    async device(templateId, dns, given) {
      const { csr, keyFile } = tools.csr({
        subject: `/CN=${dns}`,
        extensions: [`subjectAltName=DNS:${dns}`],
        ...(given === undefined ? {} : { keyFile: given }),
      })
      const { certificateId = '', error } = await ada.call(certificates.calls.requestForDevice, { templateId, csr, values: { DNS: [dns] } })
      if (certificateId === '') throw new Error(`No certificate for ${dns}: ${error}`)
      return { certificateId, keyFile }
    },
    async collected(templateId) {
      const { requestId } = await grace.call(certificates.calls.request, { entity: 'user', templateId })
      return (await grace.call(certificates.calls.collectKey, { requestId, password: 'correct horse' })).certificateId
    },
    check: (certificateId, who = ada) => check(who, certificateId),
    named: async (name) =>
      (await ada.call(certificates.calls.search, { text: name, facets: false })).rows.filter((row) => row.name === name),
    mails: async (subject) => {
      const { rows } = await pki.tenancy.administrator.call(mail.calls.outbox, { size: 200 })
      return Promise.all(
        rows
          .filter((row) => (typeof subject === 'string' ? row.subject === subject : subject.test(row.subject)))
          .map(async ({ id }) => (await pki.tenancy.administrator.call(mail.calls.read, { id })).text),
      )
    },
    verify: async (certificateId) =>
      tools.run('verify', '-no_check_time', '-CAfile', rootFile, '-untrusted', chainFile, tools.write(await pemOf(certificateId))),
    publicKey: async (certificateId) => tools.run('x509', '-noout', '-pubkey', '-in', tools.write(await pemOf(certificateId))),
    close: async () => {
      await house.close()
      tools.close()
    },
  }
}

export const switchIssuing = (who: TestPerson, caId: string, issuing: boolean) => who.call(authorities.calls.setIssuing, { caId, issuing })
