import { screen, waitFor } from '@testing-library/react'
import { useState } from 'react'
import { describe, expect, test, vi } from 'vitest'
import { answering } from '#core/testing/little-server.ts'
import { CallFault } from '../call-fault.ts'
import { preferencesStore } from '../preferences.ts'
import { expectAccessible, showScreen, testViewer } from '../testing/render.tsx'
import { toastStore } from '../toasts.ts'
import { confirm } from './confirm.tsx'
import { ConfirmDialog } from './ConfirmDialog.tsx'
import { DateTime, relativeTime, withDates } from './DateTime.tsx'
import { DetailPage } from './DetailPage.tsx'
import { DownloadButton } from './DownloadButton.tsx'
import { blocksOf, Markdown } from './Markdown.tsx'
import { Mono } from './Mono.tsx'
import { Page } from './Page.tsx'
import { Facts, Section } from './Section.tsx'
import { EmptyState, ErrorState } from './states.tsx'
import { statusKind, statusKinds } from './status-kinds.ts'
import { Status } from './Status.tsx'
import { Wizard } from './Wizard.tsx'

const fault = (facts: Partial<ConstructorParameters<typeof CallFault>[0]> = {}) =>
  new CallFault({ code: 'conflict', says: 'Somebody changed this', transport: 'bad_request', ...facts })

describe('a confirmation', () => {
  const question = {
    title: 'Revoke certificate mail.example?',
    consequence: 'Everything that trusts it stops at once.',
    action: 'Revoke certificate',
    keep: 'Keep certificate',
  }

  test('asked from anywhere answers yes or no', async () => {
    const { user } = showScreen(<p>Here</p>)
    const yes = confirm(question)
    await user.click(await screen.findByRole('button', { name: 'Revoke certificate' }))
    expect(await yes).toBe(true)
    const no = confirm(question)
    await user.click(await screen.findByRole('button', { name: 'Keep certificate' }))
    expect(await no).toBe(false)
    const left = confirm(question)
    await screen.findByRole('dialog', { name: question.title })
    await expectAccessible()
    await user.keyboard('{Escape}')
    expect(await left).toBe(false)
  })

  test('gives the focus back to the button that asked, however it is closed', async () => {
    const { user } = showScreen(<button onClick={() => void confirm(question)}>Switch off</button>)
    for (const close of ['{Escape}', '{Enter}']) {
      await user.click(screen.getByRole('button', { name: 'Switch off' }))
      await screen.findByRole('dialog', { name: question.title })
      await waitFor(() => expect(screen.getByRole('dialog').contains(document.activeElement)).toBe(true))
      await user.keyboard(close)
      await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
      await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Switch off' })))
    }
  })

  test('of the gravest kind wants the name typed', async () => {
    const done: string[] = []
    const { user } = showScreen(
      <ConfirmDialog
        {...question}
        opened
        onClose={() => done.push('closed')}
        onConfirm={() => void done.push('revoked')}
        typeToConfirm="mail.example"
      />,
    )
    await user.click(await screen.findByRole('button', { name: 'Revoke certificate' }))
    expect(await screen.findByText('This is not mail.example')).toBeDefined()
    await user.type(screen.getByLabelText('Type mail.example to go on'), 'mail.example')
    await user.click(screen.getByRole('button', { name: 'Revoke certificate' }))
    await waitFor(() => expect(done).toEqual(['revoked', 'closed']))
  })

  test('that fails stays open and says why', async () => {
    const { user } = showScreen(<ConfirmDialog {...question} opened onClose={() => {}} onConfirm={() => Promise.reject(fault())} />)
    await user.click(await screen.findByRole('button', { name: 'Revoke certificate' }))
    expect(await screen.findByText('Somebody changed this')).toBeDefined()
    await expectAccessible()
  })
})

describe('a detail page', () => {
  const Detail = () => (
    <DetailPage
      title="mail.example"
      status={<Status of="ActiveCert" />}
      actions={[
        { label: 'Download', onClick: () => {} },
        { label: 'Revoke certificate', danger: true, needs: 'certRevokeView', onClick: () => {} },
        { label: 'Renew', to: '/renew' },
      ]}
      tabs={[
        {
          key: 'overview',
          label: 'Overview',
          content: () => (
            <Section title="Details">
              <Facts
                items={[
                  { label: 'Serial number', value: <Mono value="4f2a9c0011223344" />, copy: '4f2a9c0011223344' },
                  { label: 'Owner', value: undefined },
                  false,
                ]}
              />
            </Section>
          ),
        },
        { key: 'raw', label: 'Raw', content: () => <p>Raw text</p> },
      ]}
    />
  )

  test('has its status, its actions and a tab with an address', async () => {
    const { user, router } = showScreen(<Detail />, { at: '/certificate?tab=raw' })
    expect(screen.getByText('Raw text')).toBeDefined()
    await user.click(screen.getByRole('tab', { name: 'Overview' }))
    expect(router.state.location.search).toBe('')
    expect(screen.getByText('Serial number')).toBeDefined()
    expect(screen.getByRole('link', { name: 'Renew' }).getAttribute('href')).toBe('/renew')
    await expectAccessible()
  })

  test('goes from tab to tab by the arrow keys, and round', async () => {
    const { user, router } = showScreen(<Detail />, { at: '/certificate' })
    screen.getByRole('tab', { name: 'Overview', selected: true }).focus()
    await user.keyboard('{ArrowRight}')
    expect(screen.getByRole('tabpanel', { name: 'Raw' }).textContent).toBe('Raw text')
    expect(router.state.location.search).toBe('?tab=raw')
    await user.keyboard('{ArrowRight}')
    expect(document.activeElement).toBe(screen.getByRole('tab', { name: 'Overview', selected: true }))
    await user.keyboard('{End}')
    expect(screen.getByRole('tab', { name: 'Raw', selected: true }).tabIndex).toBe(0)
  })

  test('offers nothing that the viewer may not do', () => {
    showScreen(<Detail />, { at: '/certificate', viewer: { permission: { ...testViewer.permission, api: [] } } })
    expect(screen.queryByRole('button', { name: 'Revoke certificate' })).toBeNull()
    expect(screen.getByRole('button', { name: 'Download' })).toBeDefined()
  })

  test('copies a serial number whole, though it is shown in groups', async () => {
    const { user } = showScreen(<Detail />, { at: '/certificate' })
    expect(document.querySelector('code')?.children.length).toBe(4)
    expect(document.querySelector('code')?.textContent).toBe('4f2a9c0011223344')
    await user.click(screen.getByRole('button', { name: 'Copy Serial number' }))
    expect(await navigator.clipboard.readText()).toBe('4f2a9c0011223344')
    expect(await screen.findByText('Copied')).toBeDefined()
  })
})

test('the heading of a page takes the focus from a button that is gone once it is pressed, and from no other', async () => {
  function IssuingFixture() {
    const [open, setOpen] = useState(true)
    return (
      <main>
        <Page title="Request">
          {open && (
            <button type="button" onClick={() => setOpen(false)}>
              Approve
            </button>
          )}
          <button type="button">Stay</button>
          <p>Beside</p>
        </Page>
      </main>
    )
  }
  const { user } = showScreen(<IssuingFixture />)
  await user.click(screen.getByRole('button', { name: 'Stay' }))
  await user.click(screen.getByText('Beside'))
  expect(document.activeElement).toBe(document.body)
  await user.click(screen.getByRole('button', { name: 'Approve' }))
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('heading', { level: 1, name: 'Request' })))
})

test('a wizard shows one step, and its heading takes the focus', async () => {
  const done: string[] = []
  function Steps() {
    const [at, setAt] = useState(0)
    return (
      <main>
        <h1>Set up</h1>
        <Wizard
          at={at}
          onStep={setAt}
          onDone={() => done.push('done')}
          finish="Create tenancy"
          steps={[
            { key: 'a', label: 'Tenancy', content: () => <p>First</p> },
            { key: 'b', label: 'Administrator', content: () => <p>Second</p> },
          ]}
        />
      </main>
    )
  }
  const { user } = showScreen(<Steps />)
  await user.click(screen.getByRole('button', { name: 'Next' }))
  expect(document.activeElement?.textContent).toBe('Step 2 of 2: Administrator')
  await expectAccessible()
  await user.click(screen.getByRole('button', { name: 'Create tenancy' }))
  expect(done).toEqual(['done'])
})

describe('a status', () => {
  test.each([
    ['ActiveCert', 'active'],
    ['RevokedCert', 'revoked'],
    ['PENDING_APPROVAL', 'pending'],
    ['expired', 'expired'],
    ['Rejected', 'denied'],
    ['constructor', 'unknown'],
    ['', 'unknown'],
  ])('%s on the wire is %s', (wire, kind) => {
    expect(statusKind(wire)).toBe(kind)
  })

  test('is a word beside its icon, never colour alone', async () => {
    showScreen(
      <main>
        {Object.keys(statusKinds).map((kind) => (
          <Status key={kind} of={kind} />
        ))}
      </main>,
    )
    const words = Object.entries(statusKinds)
      .filter(([kind]) => kind !== 'unknown')
      .map(([, { word }]) => word)
    expect(words.filter((word) => screen.queryByText(word) === null)).toEqual([])
    await expectAccessible()
  })
})

describe('a moment', () => {
  test('shows in medium format, and in full in its tooltip', async () => {
    const { user } = showScreen(<DateTime at="2026-03-31T09:00:00Z" />)
    const shown = screen.getByText(/31 Mar 2026/)
    expect(shown.getAttribute('datetime')).toBe('2026-03-31T09:00:00.000Z')
    await user.hover(shown)
    expect((await screen.findByRole('tooltip')).textContent).toContain('31 March 2026')
  })

  test('that is not there is a dash', () => {
    showScreen(<DateTime at={undefined} />)
    expect(screen.getByLabelText('none').textContent).toBe('–')
  })

  test('is told in the words of today', () => {
    const now = new Date('2026-03-31T09:00:00Z')
    expect(relativeTime('2026-04-12T09:00:00Z', now)).toBe('in 12 days')
    expect(relativeTime('2026-03-31T06:00:00Z', now)).toBe('3 hours ago')
    expect(relativeTime('2027-03-31T08:59:00Z', now)).toBe('in 1 year')
    expect(relativeTime('2026-04-30T09:00:00Z', now)).toBe('in 30 days')
    const lateEvening = new Date('2026-11-23T21:14:00Z')
    expect(relativeTime('2026-11-25T09:09:00Z', lateEvening)).toBe('in 2 days')
    expect(relativeTime('2026-11-24T21:10:00Z', lateEvening)).toBe('tomorrow')
    expect(relativeTime(now, now)).toBe('now')
  })
})

test.each([
  ['It ends on 2026-06-30.', 'It ends on 30 Jun 2026.'],
  ['(since 2026-06-30)', '(since 30 Jun 2026)'],
  ['An attempt on 2026-06-30 22:15 UTC failed: it ended on 2026-05-01', 'An attempt on 1 Jul 2026, 08:15 failed: it ended on 1 May 2026'],
  [
    'The names www-2026-06-30.example.org, 2026-06-30.example.org and backup/2026-06-30',
    'The names www-2026-06-30.example.org, 2026-06-30.example.org and backup/2026-06-30',
  ],
  ['Between 2026-13-40 and 12026-06-30', 'Between 2026-13-40 and 12026-06-30'],
])('a sentence of the server has its dates in the person’s own way: %s', (text, shown) => {
  preferencesStore.setState({ timeZone: 'Australia/Brisbane', dateLocale: 'en-GB' })
  expect(withDates(text)).toBe(shown)
  preferencesStore.setState({ timeZone: '', dateLocale: '' })
})

test('a download that fails says which file', async () => {
  await answering({})
  vi.spyOn(console, 'error').mockImplementation(() => {})
  const { user } = showScreen(<DownloadButton label="Download chain" fileName="chain.pem" from="/api2/x/chain.pem" />)
  await user.click(screen.getByRole('button', { name: 'Download chain' }))
  const says = 'Error downloading file chain.pem, please try again'
  await waitFor(() => expect(screen.getByRole('alert').textContent).toBe(says))
  expect(toastStore.getState().shown).toEqual([])
  expect(vi.mocked(console.error).mock.calls.map(([line]) => line)).toEqual(['file /api2/x/chain.pem: missing 404'])
})

test.each([
  [429, 'too_many_requests', 'Too Many Requests'],
  [503, 'audit_failed', 'Audit Offline'],
  [409, 'other_tenancy', 'Another tenancy'],
])('a download that is refused with %i speaks as every call does, and once', async (status, code, title) => {
  await answering({ 'GET /api2/x/chain.pem': () => ({ status, body: { code, message: 'x' } }) })
  vi.spyOn(console, 'error').mockImplementation(() => {})
  const { user } = showScreen(<DownloadButton label="Download chain" fileName="chain.pem" from="/api2/x/chain.pem?a=1" />)
  await user.click(screen.getByRole('button', { name: 'Download chain' }))
  await waitFor(() => expect(toastStore.getState().shown).toMatchObject([{ title }]))
  expect(screen.queryByText('Error downloading file chain.pem, please try again')).toBeNull()
})

test('empty and failed places say what to do', async () => {
  const retried: string[] = []
  const { user } = showScreen(
    <main>
      <h1>List</h1>
      <EmptyState title="No tickets yet" text="A ticket asks for help." />
      <ErrorState
        fault={fault({ title: 'The list was not read', reference: 'r-1', fields: [{ field: 'size', says: 'Too big' }] })}
        retry={() => retried.push('again')}
      />
    </main>,
  )
  await user.click(screen.getByRole('button', { name: 'Try again' }))
  expect(retried).toEqual(['again'])
  expect(screen.getByText('Too big')).toBeDefined()
  await expectAccessible()
})

describe('help', () => {
  test('reads headings, lists, code and paragraphs', () => {
    expect(blocksOf('# A\n\none\ntwo\n\n- x\n  more\n- y\n\n1. z\n\n```\ncode\n```')).toEqual([
      { kind: 'heading', level: 1, text: 'A' },
      { kind: 'text', text: 'one two' },
      { kind: 'list', ordered: false, items: ['x more', 'y'] },
      { kind: 'list', ordered: true, items: ['z'] },
      { kind: 'code', text: 'code' },
    ])
  })

  test('brings no markup of its own, and no script in a link', () => {
    const { container } = showScreen(
      <Markdown text={'<img src=x onerror=alert(1)> [x](javascript:alert(1)) **bold** *soft* 2 * 3 `code` [Home](/home)'} />,
    )
    expect(container.querySelector('img, script')).toBeNull()
    expect([...container.querySelectorAll('a')].map((link) => link.getAttribute('href'))).toEqual(['/home'])
    expect(container.querySelector('strong')?.textContent).toBe('bold')
    expect([...container.querySelectorAll('em')].map((word) => word.textContent)).toEqual(['soft'])
  })
})
