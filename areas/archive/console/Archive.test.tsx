import { screen, waitFor, within } from '@testing-library/react'
import { beforeAll, describe, expect, test } from 'vitest'
import { authorities } from '#areas/authorities/contract.ts'
import { certificates } from '#areas/certificates/contract.ts'
import { templates } from '#areas/templates/contract.ts'
import { expectAccessible, showScreen } from '#core/console/testing/render.tsx'
import type { TestPerson } from '#core/testing/house.ts'
import { houseForScreens } from '#core/testing/screens.ts'
import { archive } from '../contract.ts'
import { KeyArchive } from './KeyArchive.tsx'
import { KeyRecoveries } from './KeyRecoveries.tsx'

const { house, as } = await houseForScreens()
let asker: TestPerson
let officer: TestPerson

beforeAll(async () => {
  const acme = await house.tenancy('Acme')
  asker = await acme.person({ permissions: 'all', username: 'asker' })
  officer = await acme.person({ permissions: 'all', username: 'officer' })
})

async function archiveOne(): Promise<void> {
  const { caId } = await asker.call(authorities.calls.create, {
    kind: 'root',
    friendlyName: 'Root',
    subject: { CN: 'Root' },
    keyAlgorithm: 'P-256',
  })
  const extensions = {
    certificateSans: [{ sanField: 'RFC822' as const, fieldValue: 'Email' }],
    keyUsages: ['keyAgreement' as const],
    extendedUsages: ['emailProtection' as const],
    keyArchival: true,
  }
  const { templateId } = await asker.call(templates.calls.add, {
    templateName: 'Mail',
    caId,
    class: 'USER',
    extensions,
    rules: { keys: ['P-256'] },
  })
  const { requestId } = await officer.call(certificates.calls.requestForUser, { templateId })
  await officer.call(certificates.calls.collectKey, { requestId, password: 'correct horse battery' })
}

describe('The key archive', () => {
  test('says what it is for while it is empty', async () => {
    as(asker)
    showScreen(<KeyArchive />, { at: archive.screens.keys.path })
    expect(await screen.findByText('No key is archived')).toBeDefined()
    await expectAccessible()
  })

  test('gives a key to whoever asked once another has agreed', async () => {
    await archiveOne()
    as(asker)
    const first = showScreen(<KeyArchive />, { at: archive.screens.keys.path })
    const table = await screen.findByRole('table', { name: 'Archived keys' })
    await first.user.click(await within(table).findByRole('button', { name: /Ada/ }))
    await first.user.click(await screen.findByRole('menuitem', { name: 'Ask for recovery' }))
    await first.user.fill(await screen.findByRole('textbox', { name: /^Reason/ }), 'Her mail is needed')
    await expectAccessible()
    await first.user.click(screen.getByRole('button', { name: 'Ask for the key' }))
    expect(await screen.findByText('0 of 1 agreed')).toBeDefined()
    first.unmount()

    as(officer)
    const second = showScreen(<KeyRecoveries />, { at: archive.screens.recoveries.path })
    const waiting = await screen.findByRole('table', { name: 'Recoveries' })
    expect(await within(waiting).findByText('Her mail is needed')).toBeDefined()
    await expectAccessible()
    await second.user.click(within(waiting).getByRole('button', { name: /Ada/ }))
    await second.user.click(await screen.findByRole('menuitem', { name: 'Agree to recovery' }))
    await second.user.click(await screen.findByRole('button', { name: 'Agree to recovery' }))
    expect(await within(waiting).findByText('Ready to fetch')).toBeDefined()
    second.unmount()

    as(asker)
    const third = showScreen(<KeyArchive />, { at: archive.screens.keys.path })
    await third.user.click(await screen.findByRole('button', { name: /^Fetch the key of/ }))
    await third.user.fill(await screen.findByLabelText(/^Password for the file/), 'correct horse battery')
    await third.user.click(screen.getByRole('button', { name: 'Download key and certificates' }))
    await waitFor(async () => expect((await asker.call(archive.calls.own, {})).recoveries.map(({ state }) => state)).toEqual(['collected']))
    expect(await screen.findByText('Fetched')).toBeDefined()
  })
})
