import { cleanup, screen, waitFor, within } from '@testing-library/react'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ReactNode } from 'react'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { authorities } from '#areas/authorities/contract.ts'
import { certificates } from '#areas/certificates/contract.ts'
import { templates } from '#areas/templates/contract.ts'
import { expectAccessible, showScreen, type Shown } from '#core/console/testing/render.tsx'
import { toastStore } from '#core/console/toasts.ts'
import { noPermission } from '#core/contract/permissions.ts'
import { useHouse, type TestPerson, type TestTenancy } from '#core/testing/house.ts'
import { answering, leadFetchTo } from '#core/testing/little-server.ts'
import { revocation } from '../contract.ts'
import { HoldAction } from './HoldAction.tsx'
import { HoldFacts, RevokedFacts } from './HoldFacts.tsx'
import { PendingRevocations } from './PendingRevocations.tsx'
import { Publication } from './Publication.tsx'
import { Revocations } from './Revocations.tsx'
import { RevokeAction } from './RevokeAction.tsx'
import { RevokeCertificate } from './RevokeCertificate.tsx'
import { ViewRevocation } from './ViewRevocation.tsx'
import { WaitingNote } from './WaitingNote.tsx'

let acme: TestTenancy
let ada: TestPerson
let grace: TestPerson
let restore = () => {}
let made = 0
const folder = mkdtempSync(join(tmpdir(), 'chancery-revocation-'))
const { screens, calls } = revocation

const house = await useHouse()
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
})
beforeEach(async () => {
  acme = await house.tenancy(`Tenancy ${Math.random()}`)
  ada = await acme.person({ permissions: 'all' })
  grace = await acme.person({ permissions: 'all' })
  as(ada)
})
afterEach(() => restore())

function as(person: TestPerson): void {
  restore()
  restore = leadFetchTo(house.origin, { authorization: `Bearer ${person.token}` })
}

async function issue(revocationApprovers = 0, requester = ada): Promise<{ id: string; caId: string; serial: string; subject: string }> {
  const name = `host${(made += 1)}.example.org`
  const { caId } = await ada.call(authorities.calls.create, { kind: 'root', friendlyName: `CA ${made}`, subject: { CN: `CA ${made}` } })
  const { templateId } = await ada.call(templates.calls.add, {
    templateName: `Server ${made}`,
    caId,
    revocationApprovers,
    extensions: { extendedUsages: ['serverAuth'] },
    rules: { keys: ['P-256'] },
  })
  execFileSync(
    'openssl',
    [
      'req',
      '-new',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-keyout',
      'x.key',
      '-out',
      'x.csr',
      '-subj',
      `/CN=${name}`,
      '-addext',
      `subjectAltName=DNS:${name}`,
    ],
    { cwd: folder, stdio: 'pipe' },
  )
  const { certificateId = '', serialNumber = '' } = await requester.call(certificates.calls.requestForDevice, {
    templateId,
    csr: readFileSync(join(folder, 'x.csr'), 'utf8'),
    values: { CommonName: [name], DNS: [name] },
  })
  return { id: certificateId, caId, serial: serialNumber, subject: `CN=${name}` }
}

const open = (element: ReactNode, path: string, at: string): Shown => showScreen(element, { path, at })
const openRevoke = (id: string) => open(<RevokeCertificate />, screens.revoke.path, `/credentials/certificates/view/${id}/revoke`)
const openView = (id: string) =>
  open(<ViewRevocation />, screens.viewPending.path, `/credentials/certificates/revocations/viewPending/${id}`)

describe('revoking a certificate', () => {
  it('is open to whoever holds it, also without the permission to see certificates', async () => {
    const holder = await acme.person({ permissions: ['selfServicePortal', 'certSigningRequest'] })
    const leaf = await issue(0, holder)
    as(holder)
    const { user, router } = showScreen(<RevokeCertificate />, {
      path: screens.revokeOwn.path,
      at: `/credentials/certificates/mine/${leaf.id}/revoke`,
      viewer: { permission: noPermission },
    })
    await user.click(await screen.findByRole('radio', { name: /^Superseded/ }))
    expect(screen.queryByRole('link', { name: leaf.subject })).toBeNull()
    await user.click(screen.getByRole('button', { name: 'Revoke certificate' }))
    await waitFor(() => expect(router.state.location.pathname).toBe('/self/certificates'))
    expect((await ada.call(calls.status, { certId: leaf.id })).revocation).toMatchObject({ state: 'revoked', reason: 'superseded' })
  })

  it('names it and the consequence, wants a reason, and does it', async () => {
    const leaf = await issue()
    const { user, router } = openRevoke(leaf.id)
    expect(await screen.findByRole('link', { name: leaf.subject })).toBeDefined()
    expect(screen.getByText(/This cannot be undone/)).toBeDefined()
    await expectAccessible()
    await user.click(screen.getByRole('button', { name: 'Revoke certificate' }))
    expect(await screen.findByRole('alert')).toBeDefined()
    expect((await ada.call(calls.status, { certId: leaf.id })).revocation).toBeUndefined()

    await user.click(screen.getByRole('radio', { name: 'Key compromise' }))
    await user.fill(screen.getByRole('textbox', { name: /^Note/ }), 'Laptop stolen')
    await user.click(screen.getByRole('button', { name: 'Revoke certificate' }))
    await waitFor(() => expect(router.state.location.pathname).toBe(`/credentials/certificates/view/${leaf.id}`))
    expect((await ada.call(calls.status, { certId: leaf.id })).revocation).toMatchObject({
      state: 'revoked',
      reason: 'keyCompromise',
      note: 'Laptop stolen',
    })
    expect(toastStore.getState().shown).toMatchObject([
      { title: 'Certificate revoked', text: 'Whoever asks by OCSP hears of it from now on.' },
    ])
  })

  it('says on its page who did it, why, and since when it is not to be trusted', async () => {
    const leaf = await issue()
    await ada.call(calls.revoke, {
      certId: leaf.id,
      reason: 'keyCompromise',
      invalidityDate: house.clock.now().toISOString(),
      note: 'Laptop stolen',
    })
    showScreen(
      <RevokedFacts
        certificate={{
          certificateId: leaf.id,
          caId: leaf.caId,
          serialNumber: leaf.serial,
          status: 'revoked',
          revocationReason: 'keyCompromise',
        }}
      />,
      { at: `/credentials/certificates/view/${leaf.id}` },
    )
    expect(await screen.findByText(/Not to be trusted since/)).toBeDefined()
    expect(screen.getByText(`By ${ada.username}.`)).toBeDefined()
    expect(screen.getByText(/Laptop stolen/)).toBeDefined()
  })

  it('for now is called a hold from the title to the last word, and its page says who did it and why', async () => {
    const leaf = await issue()
    const { user, router, unmount } = openRevoke(leaf.id)
    await user.click(await screen.findByRole('radio', { name: 'On hold' }))
    expect(await screen.findByRole('heading', { level: 1, name: 'Put certificate on hold' })).toBeDefined()
    expect(screen.getByText(/until it is released from hold/)).toBeDefined()
    expect(screen.queryByText(/cannot be undone/)).toBeNull()
    expect(screen.queryByText('Not to be trusted since')).toBeNull()
    await expectAccessible()
    await user.fill(screen.getByRole('textbox', { name: /^Note/ }), 'Laptop mislaid')
    await user.click(screen.getByRole('button', { name: 'Put on hold' }))
    await waitFor(() => expect(router.state.location.pathname).toBe(`/credentials/certificates/view/${leaf.id}`))
    expect(toastStore.getState().shown).toMatchObject([{ title: 'Certificate put on hold' }])
    unmount()
    open(
      <HoldFacts
        certificate={{
          certificateId: leaf.id,
          caId: leaf.caId,
          serialNumber: leaf.serial,
          status: 'onHold',
          revocationReason: 'certificateHold',
        }}
      />,
      '/',
      '/',
    )
    expect(await screen.findByText(`By ${ada.username}.`)).toBeDefined()
    expect(screen.getByText(/Laptop mislaid/)).toBeDefined()
  })

  it('on hold is said to be so, and is released after a confirmation, with others where the template wants it', async () => {
    for (const others of [0, 1]) {
      const leaf = await issue(others)
      const held = await ada.call(calls.revoke, { certId: leaf.id, reason: 'certificateHold' })
      if (others > 0) await grace.call(calls.vote, { revocationId: held.revocationId, verdict: 'approve' })
      const { user, unmount } = showScreen(
        <HoldAction
          certificate={{
            certificateId: leaf.id,
            caId: leaf.caId,
            serialNumber: leaf.serial,
            status: 'onHold',
            revocationReason: 'certificateHold',
          }}
        />,
        { path: '/', at: '/' },
      )
      await user.click(await screen.findByRole('button', { name: 'Release from hold' }))
      const dialog = within(await screen.findByRole('dialog'))
      expect(dialog.getByText(others === 0 ? /accepts it again/ : /One other person must agree/)).toBeDefined()
      await expectAccessible()
      await user.click(dialog.getByRole('button', { name: others === 0 ? 'Release from hold' : 'Request release' }))
      await expect
        .poll(async () => (await ada.call(calls.status, { certId: leaf.id })).revocation?.state)
        .toBe(others === 0 ? 'released' : 'pending')
      // What waits says so itself, higher up on the page.
      await waitFor(() => expect(screen.queryByRole('button', { name: 'Release from hold' })).toBeNull())
      unmount()
      if (others === 0) continue
      as(grace)
      const deciding = openView(leaf.id)
      expect(await screen.findByRole('heading', { name: `Release of ${leaf.subject.slice('CN='.length)} from hold` })).toBeDefined()
      await expectAccessible()
      await deciding.user.click(screen.getByRole('button', { name: 'Approve release' }))
      await expect.poll(async () => (await ada.call(calls.status, { certId: leaf.id })).revocation?.state).toBe('released')
      deciding.unmount()
    }
  })

  it('on hold can be revoked for good', async () => {
    const leaf = await issue()
    await ada.call(calls.revoke, { certId: leaf.id, reason: 'certificateHold' })
    const { user } = openRevoke(leaf.id)
    expect(await screen.findByText(/Revoked for good it cannot be released/)).toBeDefined()
    expect(screen.queryByRole('radio', { name: 'On hold' })).toBeNull()
    await user.click(screen.getByRole('radio', { name: 'Key compromise' }))
    await user.click(screen.getByRole('button', { name: 'Revoke certificate' }))
    await expect
      .poll(async () => (await ada.call(certificates.calls.info, { certId: leaf.id })).certificate.revocationReason)
      .toBe('keyCompromise')
  })

  it('is found by authority and serial number too', async () => {
    const leaf = await issue()
    open(<RevokeCertificate />, screens.revokeOfCa.path, `/credentials/certificates/view/${leaf.caId}/${leaf.serial}/revoke`)
    expect(await screen.findByRole('link', { name: leaf.subject })).toBeDefined()
  })

  it('says that others must agree where the template wants it, and waits for them', async () => {
    const leaf = await issue(2)
    const { user, unmount } = openRevoke(leaf.id)
    expect(await screen.findByText(/2 other people must agree/)).toBeDefined()
    await user.click(screen.getByRole('radio', { name: 'Superseded' }))
    await user.click(screen.getByRole('button', { name: 'Request revocation' }))
    await expect.poll(async () => (await ada.call(calls.status, { certId: leaf.id })).revocation?.state).toBe('pending')
    unmount()
    const { unmount: leave } = openRevoke(leaf.id)
    expect(await screen.findByText('A revocation waits for a decision')).toBeDefined()
    await expectAccessible()
    leave()
    as(await acme.person({ permissions: ['certView'] }))
    const { unmount: close } = openRevoke(leaf.id)
    expect(await screen.findByText('A revocation waits for a decision')).toBeDefined()
    expect(screen.queryByRole('button', { name: 'Cancel the request' })).toBeNull()
    close()
    as(ada)
    const asker = openRevoke(leaf.id)
    await asker.user.click(await screen.findByRole('button', { name: 'Cancel the request' }))
    await asker.user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Cancel the request' }))
    await expect.poll(async () => (await ada.call(calls.status, { certId: leaf.id })).revocation?.state).toBe('cancelled')
    expect(await screen.findByRole('button', { name: 'Request revocation' })).toBeDefined()
  })

  it('says so where it is revoked already', async () => {
    const leaf = await issue()
    await ada.call(calls.revoke, { certId: leaf.id, reason: 'keyCompromise' })
    openRevoke(leaf.id)
    expect(await screen.findByText('This certificate is revoked already')).toBeDefined()
    expect(screen.queryByRole('button', { name: 'Revoke certificate' })).toBeNull()
    await expectAccessible()
  })

  it('offers key compromise alone where it is revoked for another reason, on its page and in the form, and only to who may', async () => {
    const leaf = await issue()
    await ada.call(calls.revoke, { certId: leaf.id, reason: 'superseded' })
    const page = (
      <RevokeAction
        certificate={{
          certificateId: leaf.id,
          caId: leaf.caId,
          serialNumber: leaf.serial,
          status: 'revoked',
          revocationReason: 'superseded',
        }}
      />
    )
    const { unmount } = open(page, '/', '/')
    expect((await screen.findByRole('link', { name: 'Record key compromise' })).getAttribute('href')).toContain(`${leaf.id}/revoke`)
    unmount()
    const { user, router, unmount: leave } = openRevoke(leaf.id)
    expect(await screen.findByRole('heading', { level: 1, name: 'Record key compromise' })).toBeDefined()
    expect(screen.getAllByRole('radio').map((radio) => [radio.getAttribute('value'), (radio as HTMLInputElement).checked])).toEqual([
      ['keyCompromise', true],
    ])
    expect(screen.getByText(/The day of the revocation stays/)).toBeDefined()
    expect(screen.queryByText(/This cannot be undone/)).toBeNull()
    await expectAccessible()
    await user.click(screen.getByRole('button', { name: 'Record key compromise' }))
    await waitFor(() => expect(router.state.location.pathname).toBe(`/credentials/certificates/view/${leaf.id}`))
    expect(toastStore.getState().shown).toMatchObject([
      { title: 'Key compromise recorded', text: 'Whoever asks by OCSP hears of it from now on.' },
    ])
    expect((await ada.call(calls.options, { certId: leaf.id })).revoked).toMatchObject({ reason: 'keyCompromise' })
    leave()
    const other = await issue()
    await ada.call(calls.revoke, { certId: other.id, reason: 'superseded' })
    as(await acme.person({ permissions: ['certView'] }))
    openRevoke(other.id)
    expect(await screen.findByText('This certificate is revoked already')).toBeDefined()
  })

  it('of a certificate that is not there says so', async () => {
    openRevoke('00000000-0000-7000-8000-000000000000')
    expect(await screen.findByText('There is no such certificate, or not for you')).toBeDefined()
  })
})

const refused = { status: 500, body: { code: 'unexpected', message: 'x', reference: 'r-9' } }

describe('what cannot be done', () => {
  const options = {
    certificateId: '018f0000-0000-7000-8000-000000000001',
    caName: 'Elsewhere CA',
    serialNumber: '0a',
    subject: 'CN=foreign.example.org',
    validFrom: '2026-01-01T00:00:00Z',
    validTo: '2036-01-01T00:00:00Z',
    status: 'active',
    reasons: ['superseded'],
    approvals: 0,
    mayCancel: false,
    mayRevoke: true,
    mayRelease: false,
  }

  it('a certificate of another issuer is told to be theirs to revoke, and has no form', async () => {
    restore()
    await answering({ [`GET ${calls.options.path}`]: options })
    openRevoke(options.certificateId)
    expect(await screen.findByText('It cannot be revoked here')).toBeDefined()
    expect(screen.getByText(/Revoke it where it was issued/)).toBeDefined()
    expect(screen.queryByRole('button', { name: 'Revoke certificate' })).toBeNull()
    await expectAccessible()
  })

  it('one that failed says why and keeps the form, to try again or to leave', async () => {
    restore()
    const server = await answering({
      [`GET ${calls.options.path}`]: { ...options, caId: options.certificateId },
      [`POST ${calls.revoke.path}`]: {
        ok: false,
        revocationId: options.certificateId,
        certificateId: options.certificateId,
        status: 'failed',
        online: false,
        failureCode: 'unknownSerial',
      },
    })
    const { user } = openRevoke(options.certificateId)
    await user.click(await screen.findByRole('radio', { name: /^Superseded/ }))
    await user.click(screen.getByRole('button', { name: 'Revoke certificate' }))
    expect(await screen.findByText(/The authority has no record/)).toBeDefined()
    expect(screen.getByRole('link', { name: 'Keep certificate' })).toBeDefined()
    await user.click(screen.getByRole('button', { name: 'Revoke certificate' }))
    const sent = () => server.asked.filter(({ method }) => method === 'POST').map(({ headers }) => headers['idempotency-key'])
    await waitFor(() => expect(new Set(sent()).size).toBe(2))
  })

  it('a revocation that nobody asked for is said to be none, with the way to the certificate', async () => {
    const leaf = await issue()
    openView(leaf.id)
    expect(await screen.findByRole('heading', { name: 'No revocation is waiting' })).toBeDefined()
    expect(screen.getByRole('link', { name: 'Show certificate' }).getAttribute('href')).toBe(`/credentials/certificates/view/${leaf.id}`)
    await expectAccessible()
  })

  it('a status that cannot be read is said so on the page of the certificate', async () => {
    restore()
    await answering({ [`GET ${calls.status.path}`]: () => refused })
    open(
      <WaitingNote
        certificate={{
          certificateId: options.certificateId,
          caId: undefined,
          serialNumber: '0a',
          status: 'active',
          revocationReason: undefined,
        }}
      />,
      '/',
      '/',
    )
    expect(await screen.findByText('The revocation status could not be read')).toBeDefined()
    expect(screen.getByRole('button', { name: 'Try again' })).toBeDefined()
  })
})

describe('deciding', () => {
  it('shows who asked and why, and takes the decision of another', async () => {
    const leaf = await issue(1)
    await ada.call(calls.revoke, { certId: leaf.id, reason: 'superseded', note: 'Moved to another host' })
    as(grace)
    const { user } = openView(leaf.id)
    expect(await screen.findByText('Moved to another host')).toBeDefined()
    expect(screen.getByText('0 of 1 have agreed')).toBeDefined()
    await expectAccessible()
    await user.click(screen.getByRole('button', { name: 'Approve revocation' }))
    expect(await screen.findByText('1 of 1 have agreed')).toBeDefined()
    expect(screen.queryByRole('button', { name: 'Approve revocation' })).toBeNull()
    expect((await ada.call(calls.status, { certId: leaf.id })).revocation?.state).toBe('revoked')
  })

  it('on a hold speaks of a hold from the title to the last word', async () => {
    const leaf = await issue(1)
    await ada.call(calls.revoke, { certId: leaf.id, reason: 'certificateHold', note: 'Laptop mislaid' })
    const page = open(
      <WaitingNote
        certificate={{ certificateId: leaf.id, caId: leaf.caId, serialNumber: leaf.serial, status: 'active', revocationReason: undefined }}
      />,
      '/',
      '/',
    )
    expect(await screen.findByText('A hold waits for a decision')).toBeDefined()
    expect(screen.getByText(/Laptop mislaid/)).toBeDefined()
    expect(screen.getByRole('link', { name: 'Show the request' })).toBeDefined()
    await expectAccessible()
    page.unmount()
    const asked = openView(leaf.id)
    await asked.user.click(await screen.findByRole('button', { name: 'Cancel the request' }))
    const dialog = within(await screen.findByRole('dialog', { name: `Cancel the hold of ${leaf.subject.slice('CN='.length)}?` }))
    await asked.user.click(dialog.getByRole('button', { name: 'Keep the request' }))
    asked.unmount()
    as(grace)
    const { user } = openView(leaf.id)
    expect(await screen.findByRole('heading', { level: 1, name: `Hold of ${leaf.subject.slice('CN='.length)}` })).toBeDefined()
    expect(screen.getByRole('button', { name: 'Deny hold' })).toBeDefined()
    expect(screen.queryByText(/revo(ke|cation)/i)).toBeNull()
    await expectAccessible()
    await user.click(screen.getByRole('button', { name: 'Approve hold' }))
    expect(await screen.findByText('Put on hold')).toBeDefined()
    expect(toastStore.getState().shown).toMatchObject([{ title: 'Certificate put on hold' }])
  })

  it('is not offered to who asked, who can cancel instead', async () => {
    const leaf = await issue(1)
    await ada.call(calls.revoke, { certId: leaf.id, reason: 'superseded' })
    const { user } = openView(leaf.id)
    expect(await screen.findByText(/You cannot decide your own request/)).toBeDefined()
    await user.click(screen.getByRole('button', { name: 'Cancel the request' }))
    const dialog = within(await screen.findByRole('dialog'))
    await user.click(dialog.getByRole('button', { name: 'Cancel the request' }))
    await waitFor(() => expect(screen.getByText('Cancelled')).toBeDefined())
  })

  it('a denial is kept with its comment', async () => {
    const leaf = await issue(1)
    await ada.call(calls.revoke, { certId: leaf.id, reason: 'superseded' })
    as(grace)
    const { user } = openView(leaf.id)
    await user.fill(await screen.findByRole('textbox', { name: 'Comment' }), 'Still in use')
    await user.click(screen.getByRole('button', { name: 'Deny revocation' }))
    expect(await screen.findByText('Still in use', { selector: 'li *' })).toBeDefined()
    expect((await ada.call(calls.status, { certId: leaf.id })).revocation?.state).toBe('denied')
  })

  it('of a failed one says why and tries again', async () => {
    const leaf = await issue()
    await house.asOwner(
      `set row_security = off; create table kept_serials as select * from serials where serial = '\\x${leaf.serial}'; delete from serials where serial = '\\x${leaf.serial}'`,
    )
    await ada.call(calls.revoke, { certId: leaf.id, reason: 'superseded' })
    await house.asOwner('set row_security = off; insert into serials select * from kept_serials; drop table kept_serials')
    const { user } = openView(leaf.id)
    expect(await screen.findByText(/The authority has no record/)).toBeDefined()
    await expectAccessible()
    await user.click(screen.getByRole('button', { name: 'Try again' }))
    expect(await screen.findByText('Revoked')).toBeDefined()
  })
})

describe('on the page of an authority', () => {
  const openPublication = (caId: string) => open(<Publication caId={caId} />, '/', '/')

  it('each list is shown with its age, and published anew', async () => {
    const { caId } = await issue()
    const { user } = openPublication(caId)
    const table = within(await screen.findByRole('table', { name: 'Lists of this authority' }))
    expect(table.getByRole('rowheader', { name: 'Whole list' })).toBeDefined()
    await user.click(table.getByRole('button', { name: 'Publish now: Whole list' }))
    await expect.poll(async () => (await ada.call(calls.publication, { caId })).lists[0]?.state).toBe('fresh')
    expect(await table.findByText('Fresh')).toBeDefined()
    await expectAccessible()
  })

  it('parts and deltas are switched on, and then stand among the lists', async () => {
    const { caId } = await issue()
    const { user } = openPublication(caId)
    const parts = await screen.findByRole('textbox', { name: /^Parts of the list/ })
    await user.clear(parts)
    await user.type(parts, '2')
    await user.click(screen.getByRole('switch', { name: /^Publish delta lists/ }))
    await user.click(screen.getByRole('button', { name: 'Save settings' }))
    expect(await screen.findByRole('rowheader', { name: 'Part 2' })).toBeDefined()
    expect(screen.getByRole('rowheader', { name: 'Delta list' })).toBeDefined()
    expect((await ada.call(calls.publication, { caId })).settings).toMatchObject({ shards: 2, delta: true })
  })

  it('how long lists and answers are valid is shown and set', async () => {
    const { caId } = await issue()
    const { user } = openPublication(caId)
    const factOf = (label: string) => screen.getAllByText(label).find(({ tagName }) => tagName === 'DT')?.nextElementSibling?.textContent
    const hours = await screen.findByRole('textbox', { name: /^A whole list is valid for/ })
    expect([factOf('Whole lists are valid for'), factOf('OCSP answers are valid for')]).toEqual(['2 days', '1 hour'])
    await user.clear(hours)
    await user.type(hours, '3')
    await user.click(screen.getByRole('button', { name: 'Save settings' }))
    expect((await screen.findAllByText('Enter at least 4')).length).toBeGreaterThan(0)
    await user.clear(hours)
    await user.type(hours, '36')
    await user.click(screen.getByRole('button', { name: 'Save settings' }))
    await waitFor(() => expect(factOf('Whole lists are valid for')).toBe('36 hours'))
    expect((await ada.call(calls.publication, { caId })).settings).toMatchObject({ listHours: 36, answerMinutes: 60 })
    await expectAccessible()
  })

  it('OCSP answers get a signer of their own, which is shown and replaced when its key is exposed', async () => {
    const { caId } = await issue()
    const { user } = openPublication(caId)
    await user.click(await screen.findByRole('radio', { name: 'a signer of its own' }))
    expect(screen.queryByRole('radio', { name: /on the token/ })).toBeNull()
    await user.click(screen.getByRole('button', { name: 'Save settings' }))
    expect(await screen.findByText('There is no signer at the moment')).toBeDefined()
    await house.runJob(revocation.jobs.signers)
    const { signer } = await ada.call(calls.publication, { caId })
    cleanup()
    const again = openPublication(caId)
    await again.user.click(await screen.findByRole('button', { name: 'Replace signer' }))
    expect(screen.getByText('EC P-256')).toBeDefined()
    await expectAccessible()
    await again.user.click(await within(await screen.findByRole('dialog')).findByRole('button', { name: 'Replace signer' }))
    await expect.poll(async () => (await ada.call(calls.publication, { caId })).signer?.serialNumber).not.toBe(signer?.serialNumber)
  })

  it('a list that nears its end is an alarm', async () => {
    const { caId } = await issue()
    await ada.call(calls.makeList, { caId })
    house.clock.advance(40 * 3_600_000)
    openPublication(caId)
    expect(await screen.findByText('Lists near their end')).toBeDefined()
    expect(screen.getByText('Ends soon')).toBeDefined()
  })
})

describe('the lists of revocations', () => {
  it('say what they are for while they are empty', async () => {
    open(<Revocations />, screens.revocations.path, screens.revocations.path)
    expect(await screen.findByText('Nothing has been revoked')).toBeDefined()
    expect(await screen.findByText('There is no authority that signs lists.')).toBeDefined()
    await expectAccessible()
  })

  it('show every revocation, and how fresh the list of each authority is', async () => {
    const leaf = await issue()
    await ada.call(calls.revoke, { certId: leaf.id, reason: 'superseded' })
    const { user } = open(<Revocations />, screens.revocations.path, screens.revocations.path)
    const table = await screen.findByRole('table', { name: 'Revocations' })
    const link = await within(table).findByRole('link', { name: leaf.subject.slice('CN='.length) })
    expect(link.getAttribute('href')).toBe(`/credentials/certificates/revocations/viewPending/${leaf.id}`)
    const lists = within(await screen.findByRole('table', { name: 'Revocation lists' }))
    const { lists: before } = await ada.call(calls.lists, {})
    await user.click(lists.getByRole('button', { name: /^Publish now: the list of CA/ }))
    await expect.poll(async () => (await ada.call(calls.lists, {})).lists[0]?.number ?? 0).toBeGreaterThan(before[0]?.number ?? 0)
    await expectAccessible()
  })

  it('show what waits and what failed, and nothing else', async () => {
    const [done, waiting] = [await issue(), await issue(1)]
    await ada.call(calls.revoke, { certId: done.id, reason: 'superseded' })
    await ada.call(calls.revoke, { certId: waiting.id, reason: 'superseded' })
    open(<PendingRevocations />, screens.searchPending.path, screens.searchPending.path)
    const table = await screen.findByRole('table', { name: 'Pending and failed revocations' })
    expect(await within(table).findByRole('link', { name: waiting.subject.slice('CN='.length) })).toBeDefined()
    expect(within(table).queryByRole('link', { name: done.subject.slice('CN='.length) })).toBeNull()
    await expectAccessible()
  })
})
