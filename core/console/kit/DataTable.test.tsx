import { Modal, TextInput } from '@mantine/core'
import { act, screen, waitFor, within } from '@testing-library/react'
import { useState } from 'react'
import { beforeEach, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { contract } from '#core/contract/contract.ts'
import { pageOf, PageQuery } from '#core/contract/shapes.ts'
import { answering, type Asked } from '#core/testing/little-server.ts'
import { preferencesStore, readPreferences, setPreference } from '../preferences.ts'
import { expectAccessible, showScreen } from '../testing/render.tsx'
import { confirm } from './confirm.tsx'
import { DataTable, type RowAction } from './DataTable.tsx'
import { fitColumns, givingWay } from './fitting-columns.ts'
import { allRows, csvText } from './list-export.ts'
import { everythingSelected, nothingSelected, seenOf, select } from './list-selection.ts'
import { lastPage, pageBlock } from './list-state.ts'
import { useList } from './list.ts'
import { Page } from './Page.tsx'
import { Status } from './Status.tsx'

const Row = z.object({ id: z.string(), name: z.string(), status: z.string() })
const certificates = contract({
  area: 'certificates',
  title: 'Certificates',
  calls: {
    search: {
      does: 'Search.',
      method: 'POST',
      path: '/api2/x/Search',
      needs: 'certView',
      reads: true,
      input: PageQuery.extend({
        page: z.number().int().min(1).max(15_000).default(1),
        sort: z.enum(['name', 'status']).optional(),
        status: z.array(z.enum(['active', 'revoked'])).default([]),
      }),
      output: pageOf(Row),
    },
  },
})

const all = Array.from({ length: 240 }, (_, at) => ({
  id: `c${at}`,
  name: `host-${at}.example`,
  status: at % 3 === 0 ? 'revoked' : 'active',
}))

function search({ body }: Asked) {
  const { page, size, text, status, direction } = certificates.calls.search.input.parse(body)
  const found = all.filter((row) => row.name.includes(text) && (status.length === 0 || status.some((one) => one === row.status)))
  const sorted = direction === 'desc' ? found.toReversed() : found
  return {
    body: { rows: sorted.slice((page - 1) * size, page * size), total: found.length, facets: { status: { active: 160, revoked: 80 } } },
  }
}

const sent: unknown[] = []

function Certificates({ ownActions = true }: { ownActions?: boolean }) {
  const list = useList(certificates.calls.search, {
    key: 'test',
    sortWhile: [{ filter: 'status', values: ['revoked'], sort: 'name', direction: 'asc' }],
    filters: {
      status: {
        label: 'Status',
        many: true,
        options: [
          { value: 'active', label: 'Active' },
          { value: 'revoked', label: 'Revoked' },
        ],
      },
    },
  })
  const [renaming, setRenaming] = useState(false)
  const actionsOf = (row: z.infer<typeof Row>): readonly RowAction[] => [
    { label: 'Revoke certificate', onClick: () => void sent.push(row.id) },
    {
      label: 'Ask first',
      onClick: () => void confirm({ title: 'Sure?', consequence: 'It ends.', action: 'End it', keep: 'Keep it' }),
    },
    { label: 'Rename', onClick: () => setRenaming(true) },
  ]
  return (
    <Page title="Certificates">
      <Modal opened={renaming} onClose={() => setRenaming(false)} title="Rename">
        <TextInput label="Name" />
      </Modal>
      <DataTable
        list={list}
        label="Certificates"
        rowId={(row) => row.id}
        rowName={(row) => row.name}
        columns={[
          { key: 'name', label: 'Name', sort: true, link: (row) => `/certificates/${row.id}`, cell: (row) => row.name },
          { key: 'status', label: 'Status', aside: true, cell: (row) => <Status of={row.status} />, csv: (row) => row.status },
          { key: 'health', label: 'Health', sort: 'status', hidden: true, cell: (row) => (row.status === 'active' ? 'Good' : 'Bad') },
        ]}
        {...(ownActions ? { rowActions: actionsOf } : {})}
        bulk={[
          {
            label: 'Revoke certificates',
            run: async (selection, facts) => (
              sent.push({ ...selection, count: facts.count }),
              { says: '118 revoked, 2 failed', failed: [{ name: 'host-1', says: 'Already revoked' }] }
            ),
          },
        ]}
        empty={{ title: 'No certificates yet', text: 'Request one.' }}
      />
    </Page>
  )
}

const open = async (at = '/list', list = <Certificates />) => {
  const server = await answering({ 'POST /api2/x/Search': search })
  const shown = showScreen(list, { at, path: '/list' })
  await screen.findAllByRole('row')
  await waitFor(() => expect(server.asked.length).toBeGreaterThan(0))
  return { ...shown, server, address: () => shown.router.state.location.search, last: () => server.asked.at(-1)?.body }
}

beforeEach(() => {
  sent.length = 0
  preferencesStore.setState(readPreferences(null), true)
})

describe('a list', () => {
  test('shows one page by one request, as a table with its counts', async () => {
    const { server } = await open()
    expect((await screen.findByRole('link', { name: 'host-0.example' })).getAttribute('href')).toBe('/certificates/c0')
    const table = screen.getByRole('table', { name: 'Certificates' })
    expect(table.getAttribute('aria-rowcount')).toBe('241')
    expect(within(table).getAllByRole('row').at(-1)?.getAttribute('aria-rowindex')).toBe('26')
    expect(server.asked.length).toBe(1)
    await expectAccessible()
  })

  test('tells as a tooltip what a cell shows, never what stands for it in a file', async () => {
    await open()
    await screen.findByRole('link', { name: 'host-0.example' })
    const [, first] = screen.getAllByRole('row')
    const titles = within(first ?? document.body)
      .getAllByRole('cell')
      .map((cell) => cell.getAttribute('title'))
    expect(titles).toEqual([null, 'host-0.example', null, null])
  })

  test('keeps the values that it knows beside one that it does not, and tells that one alone', async () => {
    const { last } = await open('/list?status=revoked&status=sideways&status=revoked')
    await waitFor(() => expect(last()).toMatchObject({ status: ['revoked'] }))
    expect(screen.getByRole('note').textContent).toBe(
      'The address asks for what this list does not know, and it was left out: Status “sideways”.',
    )
    expect((await screen.findAllByText('Revoked')).length).toBeGreaterThan(0)
  })

  test('leaves a value out that it does not know, and says so', async () => {
    const { server, user, address } = await open('/list?status=onHolliday&text=host-1')
    await screen.findByRole('link', { name: 'host-1.example' })
    expect(server.asked.map(({ body }) => body)).toEqual([expect.objectContaining({ text: 'host-1' })])
    expect(screen.getByRole('button', { name: 'Status' })).toBeDefined()
    expect(screen.getByRole('note').textContent).toBe(
      'The address asks for what this list does not know, and it was left out: Status “onHolliday”.',
    )
    await user.click(screen.getByRole('button', { name: 'Clear filters' }))
    await waitFor(() => expect(address()).toBe(''))
    expect(screen.queryByRole('note')).toBeNull()
    await expectAccessible()
  })

  test('says of a name in the address that is none which filter was probably meant', async () => {
    const { user, address } = await open('/list?sttatus=revoked&tab=rows')
    await screen.findByRole('link', { name: 'host-0.example' })
    expect(screen.getByRole('note').textContent).toBe(
      'The address asks for “sttatus”, which is no filter of this list. Did you mean “status”?',
    )
    await expectAccessible()
    await user.click(screen.getByRole('button', { name: 'Clear filters' }))
    await waitFor(() => expect(address()).toBe('?tab=rows'))
    expect(screen.queryByRole('note')).toBeNull()
  })

  test('takes filters that are typed into its search line, and says so below where one is misspelt, with all that was typed', async () => {
    const { user, address, last } = await open()
    const field = screen.getByRole('searchbox')
    await user.type(field, 'host sttatus:revoked{Enter}')
    expect((await screen.findByRole('note')).textContent).toBe('There is no filter “sttatus”. Did you mean “status”?')
    expect(field).toHaveProperty('value', 'host sttatus:revoked')
    await expectAccessible()
    await user.clear(field)
    await user.type(field, 'host status:revoked{Enter}')
    await waitFor(() => expect(last()).toMatchObject({ text: 'host', status: ['revoked'] }))
    expect(address()).toBe('?text=host&status=revoked')
    expect(field).toHaveProperty('value', 'host')
    expect(screen.queryByRole('note')).toBeNull()
  })

  test('says how it is sorted where the heading that would show it is hidden', async () => {
    await open('/list?sort=status&direction=desc')
    expect((await screen.findByText('Sorted by Health, descending')).hasAttribute('data-hidden-column')).toBe(true)
    // On a telephone alone, where there are no headings.
    act(() => setPreference('lists', { test: { hidden: [] } }))
    await waitFor(() => expect(screen.getByText('Sorted by Health, descending').hasAttribute('data-hidden-column')).toBe(false))
  })

  test.each([
    ['sorting', async (user: Awaited<ReturnType<typeof open>>['user']) => user.click(screen.getByRole('button', { name: 'Name' }))],
    ['searching', async (user: Awaited<ReturnType<typeof open>>['user']) => user.type(screen.getByRole('searchbox'), 'host-1{Enter}')],
    [
      'the page size',
      async (user: Awaited<ReturnType<typeof open>>['user']) => user.selectOptions(screen.getByLabelText('Rows on a page'), '10'),
    ],
    [
      'a filter',
      async (user: Awaited<ReturnType<typeof open>>['user']) => {
        await user.click(screen.getByRole('button', { name: 'Status' }))
        await user.click(await screen.findByRole('checkbox', { name: /Revoked/ }))
      },
    ],
  ])('returns to page 1 after %s', async (_name, change) => {
    const { user, last, address } = await open('/list?page=3')
    await screen.findByText('host-50.example')
    await change(user)
    await waitFor(() => expect(last()).toMatchObject({ page: 1 }))
    expect(address()).not.toContain('page=3')
  })

  test('has another order while something is asked for, until a person sorts', async () => {
    const { user, last, address } = await open('/list?status=revoked')
    await waitFor(() => expect(last()).toMatchObject({ sort: 'name', direction: 'asc' }))
    await user.click(await screen.findByRole('button', { name: 'Name' }))
    await waitFor(() => expect(last()).toMatchObject({ sort: 'name', direction: 'desc' }))
    await user.click(screen.getByRole('button', { name: 'Clear filters' }))
    await waitFor(() => expect(last()).toMatchObject({ sort: 'name', direction: 'desc' }))
    expect(address()).toBe('?sort=name&direction=desc')
  })

  test('keeps its whole state in the address', async () => {
    const { last } = await open('/list?text=host-1&status=revoked&sort=name&direction=desc&size=10&page=2')
    expect(last()).toEqual({ text: 'host-1', status: ['revoked'], sort: 'name', direction: 'desc', size: 10, page: 2 })
    expect(screen.getByRole('columnheader', { name: /Name/ }).getAttribute('aria-sort')).toBe('descending')
  })

  test('shows itself as by default where the address makes no sense', async () => {
    const { last } = await open('/list?sort=nonsense&page=-3&size=7')
    expect(last()).toEqual({ page: 1, size: 25 })
    expect(await screen.findByText('host-0.example')).toBeDefined()
  })

  test.each([
    ['a page far into a long list', 14_321, 14_321],
    ['at most the last page that the call gives', 15_001, 15_000],
    ['that page, however far the address goes', '9'.repeat(30), 15_000],
  ])('asks for %s', async (_name, asked, sent) => {
    const { last } = await open(`/list?text=host&page=${asked}`)
    expect(last()).toEqual({ text: 'host', page: sent, size: 25 })
  })

  test.each(['/list?page=99', '/list?status=revoked&page=99', '/list?page=99999999'])(
    'past its end says which page is the last, and leads there: %s',
    async (address) => {
      const { user, last } = await open(address)
      const end = address.includes('revoked') ? 4 : 10
      expect(await screen.findByText(new RegExp(`^There is no page (99|99,999,999): the last is ${end}$`))).toBeDefined()
      expect(screen.queryByText('Clear filters') === null).toBe(!address.includes('revoked'))
      await expectAccessible()
      await user.click(screen.getByRole('button', { name: `Go to page ${end}` }))
      await waitFor(() => expect(last()).toMatchObject({ page: end }))
      expect(await screen.findByText(/^\d+ to \d+ of (240|80)$/)).toBeDefined()
    },
  )

  test('turns pages and jumps to one', async () => {
    const { user, last } = await open('/list?size=10')
    await user.click(await screen.findByRole('button', { name: 'Next page' }))
    await waitFor(() => expect(last()).toMatchObject({ page: 2 }))
    await user.type(await screen.findByLabelText(/Go to page/), '17{Enter}')
    await waitFor(() => expect(last()).toMatchObject({ page: 17 }))
    expect(await screen.findByText('161 to 170 of 240')).toBeDefined()
  })

  test('tells the page from everything that matches', async () => {
    const { user } = await open()
    await user.click(await screen.findByRole('checkbox', { name: 'Select this page' }))
    expect(screen.getByText('25 selected')).toBeDefined()
    await user.click(screen.getByRole('button', { name: 'Select all 240 matching' }))
    await user.click(screen.getByRole('checkbox', { name: 'Select host-3.example' }))
    expect(screen.getByText('239 selected')).toBeDefined()
    expect(screen.getByRole<HTMLInputElement>('checkbox', { name: 'Select this page' }).indeterminate).toBe(true)
    await user.click(screen.getByRole('button', { name: 'Revoke certificates' }))
    expect(sent).toEqual([{ selectAll: true, inclusionList: [], exclusionList: ['c3'], count: 239 }])
    expect(await screen.findByText('118 revoked, 2 failed')).toBeDefined()
    await user.click(screen.getByRole('button', { name: 'Show failed' }))
    expect(screen.getByText('host-1: Already revoked')).toBeDefined()
    await expectAccessible()
  })

  test('keeps what is ticked for who goes to a record and comes back, and not for who comes anew', async () => {
    const { user, router } = await open()
    await user.click(await screen.findByRole('checkbox', { name: 'Select host-2.example' }))
    await user.click(screen.getByRole('link', { name: 'host-4.example' }))
    await screen.findByText('Another screen')
    await act(() => router.navigate(-1))
    expect(await screen.findByRole('checkbox', { name: 'Select host-2.example', checked: true })).toBeDefined()
    await act(() => router.navigate('/certificates/c4'))
    await act(() => router.navigate('/list'))
    expect(await screen.findByRole('checkbox', { name: 'Select host-2.example', checked: false })).toBeDefined()
  })

  test('selects the rows between with Shift', async () => {
    const { user } = await open()
    await user.click(await screen.findByRole('checkbox', { name: 'Select host-2.example' }))
    await user.keyboard('{Shift>}')
    await user.click(screen.getByRole('checkbox', { name: 'Select host-6.example' }))
    await user.keyboard('{/Shift}')
    expect(screen.getByText('5 selected')).toBeDefined()
  })

  test('offers a row’s actions by keyboard', async () => {
    const { user } = await open()
    await user.click(await screen.findByRole('button', { name: 'Actions for host-0.example' }))
    await user.click(await screen.findByRole('menuitem', { name: 'Revoke certificate' }))
    expect(sent).toEqual(['c0'])
  })

  test('offers on a row what it offers on many, where its rows have no actions of their own', async () => {
    const { user } = await open('/list', <Certificates ownActions={false} />)
    await user.click(await screen.findByRole('button', { name: 'Actions for host-1.example' }))
    await user.click(await screen.findByRole('menuitem', { name: 'Revoke certificates' }))
    expect(await screen.findByText('118 revoked, 2 failed')).toBeDefined()
    expect(sent).toEqual([{ selectAll: false, inclusionList: ['c1'], exclusionList: [], count: 1 }])
  })

  test.each(['Ask first', 'Rename'])(
    'gives the focus back to the row’s button when the dialog is closed that its menu opened: %s',
    async (deed) => {
      const { user } = await open()
      const button = await screen.findByRole('button', { name: 'Actions for host-1.example' })
      button.focus()
      await user.keyboard('{Enter}')
      const item = await screen.findByRole('menuitem', { name: deed })
      item.focus()
      await user.keyboard('{Enter}')
      const dialog = await screen.findByRole('dialog')
      await waitFor(() => expect(dialog.contains(document.activeElement)).toBe(true))
      await user.keyboard('{Escape}')
      await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
      await waitFor(() => expect(document.activeElement).toBe(button))
    },
  )

  test('echoes a search that finds nothing, and clears it', async () => {
    const { user } = await open('/list?text=nowhere')
    expect(await screen.findByRole('heading', { name: 'Nothing matches “nowhere”' })).toBeDefined()
    const [clear] = screen.getAllByRole('button', { name: 'Clear filters' })
    await user.click(clear ?? document.body)
    expect(await screen.findByText('host-0.example')).toBeDefined()
  })

  test('says what it is for where there is nothing yet', async () => {
    await answering({ 'POST /api2/x/Search': { rows: [], total: 0 } })
    showScreen(<Certificates />, { at: '/list' })
    expect(await screen.findByRole('heading', { name: 'No certificates yet' })).toBeDefined()
    await expectAccessible()
  })

  test('whose search fails has -1 as its total', async () => {
    const shown: number[] = []
    function Total() {
      shown.push(useList(certificates.calls.search, { key: 'total' }).total)
      return undefined
    }
    let working = false
    await answering({
      'POST /api2/x/Search': (asked: Asked) => (working ? search(asked) : { status: 500, body: { code: 'unexpected', message: 'x' } }),
    })
    showScreen(<Total />, { at: '/list' })
    await waitFor(() => expect(shown.at(-1)).toBe(-1))
    working = true
    showScreen(<Total />, { at: '/list' })
    await waitFor(() => expect(shown.at(-1)).toBe(240))
    expect(shown).toContain(0)
  })

  test('that fails says why, with its reference, and tries again', async () => {
    let working = false
    await answering({
      'POST /api2/x/Search': (asked: Asked) =>
        working ? search(asked) : { status: 500, body: { code: 'unexpected', message: 'x', reference: 'ref-77' } },
    })
    const { user } = showScreen(<Certificates />, { at: '/list' })
    expect(await screen.findByText('Reference ref-77')).toBeDefined()
    await expectAccessible()
    working = true
    await user.click(screen.getByRole('button', { name: 'Try again' }))
    expect(await screen.findByText('host-0.example')).toBeDefined()
  })

  test('keeps a hidden column hidden, and a view under its name', async () => {
    const { user } = await open('/list?status=revoked&page=2')
    await user.click(await screen.findByRole('button', { name: 'List options' }))
    await user.click(await screen.findByRole('checkbox', { name: 'Status' }))
    await waitFor(() => expect(screen.queryByRole('columnheader', { name: 'Status' })).toBeNull())
    await user.type(await screen.findByLabelText('Save this view as'), 'Revoked ones{Enter}')
    expect(preferencesStore.getState()).toMatchObject({
      lists: { test: { hidden: ['health', 'status'] } },
      views: { test: [{ name: 'Revoked ones', path: '/list', query: '?status=revoked' }] },
    })
  })
})

describe('single keys', () => {
  test('look for something, go from row to row, and tick one', async () => {
    const { user } = await open()
    await screen.findByRole('link', { name: 'host-0.example' })
    await user.keyboard('jj')
    expect(document.activeElement?.textContent).toBe('host-1.example')
    await user.keyboard('x')
    expect(await screen.findByText('1 selected')).toBeDefined()
    await user.keyboard('k')
    expect(document.activeElement?.textContent).toBe('host-0.example')
    await user.keyboard('/')
    expect(document.activeElement?.getAttribute('type')).toBe('search')
  })

  test('are shown by ?, and do nothing once they are switched off', async () => {
    const { user } = await open()
    await screen.findByRole('link', { name: 'host-0.example' })
    await user.keyboard('?')
    await user.click(await screen.findByRole('switch', { name: /^Single keys/ }))
    await user.keyboard('{Escape}')
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    const before = document.activeElement
    await user.keyboard('j')
    expect(document.activeElement).toBe(before)
  })
})

test('columns give way by priority, then from the end; the first and the status stay', () => {
  const column = (key: string, more = {}) => ({ key, label: key, cell: () => key, ...more })
  const columns = [column('name'), column('status', { aside: true }), column('end', { priority: 1 }), column('issued'), column('serial')]
  expect(givingWay(columns)).toEqual(['serial', 'issued', 'end'])
})

test('long cells are cut before a column is left out, and get back what is gained too much, the name first', () => {
  const widths = new Map([
    ['name', 300],
    ['end', 90],
    ['issued', 80],
    ['serial', 240],
  ])
  const fit = (over: number) => {
    const { out, most } = fitColumns(['serial', 'issued', 'end'], widths, over, () => 200)
    return { out: [...out], most: Object.fromEntries(most) }
  }
  expect(fit(120)).toEqual({ out: [], most: { name: 220, serial: 200 } })
  expect(fit(140)).toEqual({ out: [], most: { name: 200, serial: 200 } })
  expect(fit(200)).toEqual({ out: ['serial'], most: { name: 300 } })
  expect([...fitColumns([], widths, 200, (at) => (at === 0 ? 260 : 200)).most]).toEqual([
    ['name', 260],
    ['serial', 200],
  ])
  expect([...fitColumns(['issued', 'end'], widths, 70, () => 200, new Set(['issued'])).out]).toEqual(['issued'])
  expect(fit(400)).toEqual({ out: ['serial', 'issued'], most: { name: 220 } })
})

describe('an export', () => {
  test('reads the whole query page by page', async () => {
    const pages: number[] = []
    const rows = await allRows({
      fetchPage: async (page, size) => (pages.push(page), { rows: all.slice((page - 1) * size, page * size), total: all.length }),
    })
    expect([rows.length, pages]).toEqual([240, [1, 2]])
  })

  test('quotes what needs it and runs no formula', () => {
    expect(csvText([['a,b', 'say "x"', '=1+1', '-5', '@x']])).toBe('"a,b","say ""x""",\'=1+1,-5,\'@x\r\n')
  })
})

test('what was ticked stays ticked as it was in view then, and is ticked anew as it is by now', () => {
  const tick = (
    before: { selection: typeof nothingSelected; seen: Record<string, number> },
    id: string,
    on: boolean,
    inView: [string, number][],
  ) => {
    const selection = select(before.selection, [id], on)
    return { selection, seen: seenOf(selection, before, inView) }
  }
  const first = tick({ selection: nothingSelected, seen: {} }, 'a', true, [
    ['a', 1],
    ['b', 1],
  ])
  expect(first.seen).toEqual({ a: 1 })
  const second = tick(first, 'b', true, [
    ['a', 2],
    ['b', 2],
  ])
  expect(second.seen).toEqual({ a: 1, b: 2 })
  expect(tick(tick(second, 'a', false, [['a', 2]]), 'a', true, [['a', 2]]).seen).toEqual({ a: 2, b: 2 })
  expect(
    seenOf(everythingSelected, second, [
      ['a', 3],
      ['c', 3],
    ]),
  ).toEqual({ a: 1, b: 2, c: 3 })
})

test('the last page is 1 below the page size, else the total divided and rounded up', () => {
  expect([lastPage(0, 10), lastPage(9, 10), lastPage(10, 10), lastPage(11, 10)]).toEqual([1, 1, 1, 2])
  expect(pageBlock(13, 24)).toEqual([11, 12, 13, 14, 15, 16, 17, 18, 19, 20])
})

function LateChoices() {
  const [options, setOptions] = useState<{ value: string; label: string }[]>([])
  const list = useList(certificates.calls.search, { key: 'late', filters: { status: { label: 'Status', many: true, options } } })
  return (
    <>
      <button type="button" onClick={() => setOptions([{ value: 'revoked', label: 'Taken back' }])}>
        The choices arrive
      </button>
      <DataTable
        list={list}
        label="Certificates"
        rowId={(row) => row.id}
        rowName={(row) => row.name}
        columns={[{ key: 'name', label: 'Name', cell: (row) => row.name }]}
        empty={{ title: 'None', text: 'None.' }}
      />
    </>
  )
}

test('a filter of the address gets its name also where the choices arrive after the rows', async () => {
  await answering({ 'POST /api2/x/Search': search })
  const { user } = showScreen(<LateChoices />, { at: '/list?status=revoked', path: '/list' })
  expect(await screen.findByText('host-0.example')).toBeDefined()
  await user.click(screen.getByRole('button', { name: 'The choices arrive' }))
  expect(await screen.findByRole('button', { name: 'Status: Taken back' })).toBeDefined()
})
