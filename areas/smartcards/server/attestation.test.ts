// Keys that a card attests: who is believed, what the card shows, and templates that demand it.

import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Caller } from '#core/testing/caller.ts'
import { refusal } from '#core/testing/house.ts'
import { encodePem } from '#standards/pem/pem.ts'
import { virtualRoot, virtualRootName } from '#standards/piv/card/attester.ts'
import { smartcards } from '../contract.ts'
import { newCard, openDesk, type DeskFixture } from './desk.fixture.ts'

let at: DeskFixture
let desk: Caller
beforeAll(async () => {
  at = await openDesk()
  desk = await at.desk.session()
})
afterAll(() => at.close())

const { calls } = smartcards

test('a template that demands attestation issues only cards whose maker is believed, and says so on the card', async () => {
  const slots = [{ slot: '9A' as const, algorithm: 'P-256' as const, templateId: at.templateId }]
  const { id: cardTemplateId } = await at.desk.call(calls.addTemplate, { name: 'Attested', slots, attested: true })
  const { cardId } = await at.register(newCard())
  expect((await refusal(at.issue({ cardTemplateId }))).message).toContain(
    'The template wants keys that the card attests, and for 9A the statement leads to no root that is trusted',
  )
  expect((await at.desk.call(calls.view, { id: cardId })).slots).toEqual([])

  await desk.call(calls.changeAttestation, { roots: encodePem('CERTIFICATE', virtualRoot().encoded) })
  await at.issue({ cardTemplateId })
  const { slots: shown } = await at.desk.call(calls.view, { id: cardId })
  expect(shown).toMatchObject([{ slot: '9A', origin: 'attested', originSays: virtualRootName }])
})

test('without a demand a key that nobody attests is proved by signature', async () => {
  await desk.call(calls.changeAttestation, {})
  const { cardId } = await at.register(newCard())
  await at.issue()
  const { slots } = await at.desk.call(calls.view, { id: cardId })
  expect(slots).toMatchObject([{ origin: 'proved', originSays: 'the statement leads to no root that is trusted' }])
  await desk.call(calls.changeAttestation, { acceptsVirtual: true })
  expect(await at.desk.call(calls.attestation, {})).toMatchObject({
    shipped: ['CN=Yubico PIV Root CA Serial 263751', 'CN=Yubico Attestation Root 1'],
    acceptsVirtual: true,
  })
})

test('a card that waited for approval is issued by what the template demands now', async () => {
  await desk.call(calls.changeAttestation, {})
  const agreed = await at.pki.addTemplate('User', { issueApprovers: 1 })
  const slots = [{ slot: '9A' as const, algorithm: 'P-256' as const, templateId: agreed }]
  const name = 'Attested later'
  const { id: cardTemplateId } = await at.desk.call(calls.addTemplate, { name, slots })
  await at.register(newCard())
  expect(await refusal(at.tryIssue({ cardTemplateId }))).toMatchObject({ code: 'waitsForApproval' })
  await at.desk.call(calls.changeTemplate, { id: cardTemplateId, version: 1, name, slots, attested: true })
  await at.approveAll()
  // The key that was made before the demand is not the one that is issued.
  expect(await refusal(at.tryIssue({ cardTemplateId }))).toMatchObject({ code: 'notAttested' })
})

test('whose cards are believed is changed by a session that has just proved whose it is, and by no token', async () => {
  expect(await refusal(at.desk.call(calls.changeAttestation, {}))).toMatchObject({ status: 403 })
  const stale = await at.desk.session()
  at.house.clock.advance(6 * 60_000)
  expect(await refusal(stale.call(calls.changeAttestation, { acceptsVirtual: true }))).toMatchObject({ code: 'proof_needed' })
  desk = await at.desk.session()
})

test('what is no list of authorities is refused with the reason', async () => {
  const refused = await refusal(desk.call(calls.changeAttestation, { roots: 'my root' }))
  expect(refused.message).toMatch(/notRoots: That is no list of certificates of authorities in PEM: there is no certificate in it .*roots/)
})
