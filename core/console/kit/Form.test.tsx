import { screen, waitFor } from '@testing-library/react'
import { useState } from 'react'
import { Link } from 'react-router'
import { describe, expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import { contract } from '#core/contract/contract.ts'
import { Line } from '#core/contract/shapes.ts'
import { offer } from '#core/contract/slots.ts'
import { answering, type Answer, type Asked } from '#core/testing/little-server.ts'
import { lastFault } from '../last-fault.ts'
import { roomsStore } from '../rooms.ts'
import { helpLinks } from '../slots.ts'
import { expectAccessible, showScreen } from '../testing/render.tsx'
import { toastStore } from '../toasts.ts'
import {
  CheckboxGroupField,
  DateField,
  MultiSelectField,
  NumberField,
  PasswordField,
  RadioField,
  SelectField,
  SwitchField,
  TagsField,
  TextAreaField,
  TextField,
} from './fields.tsx'
import { Form } from './Form.tsx'
import { Page } from './Page.tsx'
import { pemText, PemInput } from './PemInput.tsx'

const tickets = contract({
  area: 'tickets',
  title: 'Tickets',
  calls: {
    add: {
      does: 'Add.',
      title: 'Add',
      method: 'POST',
      path: '/api2/x/Ticket',
      needs: 'ticketAdd',
      input: z.object({
        title: Line(20),
        message: z.string().min(1),
        hours: z.number().int().max(8).optional(),
        people: z.number().int().min(1).default(1),
        names: z.array(z.string()).default([]),
      }),
      output: z.object({ ticketId: z.string() }),
      done: 'Ticket created successfully!',
      failed: 'An error occurred during ticket submission',
      faults: { tooMany: { status: 409, says: 'You have too many open tickets' } },
    },
  },
})

function AddTicket() {
  const [made, setMade] = useState('')
  return (
    <Page title="New ticket">
      <Link to="/elsewhere">Leave</Link>
      <p>{made}</p>
      <Form
        call={tickets.calls.add}
        initial={{ title: '', message: '', people: 2 }}
        submit="Create ticket"
        cancel={{ label: 'Cancel', to: '/' }}
        onDone={({ ticketId }) => setMade(`Made ${ticketId}`)}
      >
        {(form) => (
          <>
            <TextField {...form.field('title')} label="Title" hint="One line" required />
            <TextAreaField {...form.field('message')} label="Message" required />
            <NumberField {...form.field('hours')} label="Hours" hint="Left empty, nobody counts" suffix="hours" optional max={8} />
            <NumberField {...form.field('people')} label="People" min={1} />
            <TagsField {...form.field('names')} label="Names" />
          </>
        )}
      </Form>
    </Page>
  )
}

const open = async (answer: (asked: Asked) => Answer | Promise<Answer> = () => ({ body: { ticketId: '7' } })) => {
  const server = await answering({ 'POST /api2/x/Ticket': answer })
  return { server, ...showScreen(<AddTicket />, { at: '/add' }) }
}
const fill = async (user: Awaited<ReturnType<typeof open>>['user']) => {
  await user.type(screen.getByLabelText(/Title/), 'Printer')
  await user.type(screen.getByLabelText(/Message/), 'It is on fire')
}

describe('a form', () => {
  test('checks everything on submit and leads to each error', async () => {
    const { user, server } = await open()
    await user.click(screen.getByRole('button', { name: 'Create ticket' }))
    expect(await screen.findByText('2 fields need attention')).toBeDefined()
    expect(document.activeElement?.getAttribute('role')).toBe('alert')
    await user.click(screen.getByRole('button', { name: 'Message: Enter a value' }))
    expect(document.activeElement).toBe(screen.getByLabelText(/Message/))
    expect(server.asked).toEqual([])
    await expectAccessible()
  })

  test('offers help where the server refused it, in a tab beside it that keeps the form, and hands over what was wrong with which field', async () => {
    roomsStore.setState({
      consoleModules: [
        {
          area: 'desk',
          screens: {},
          offers: [
            offer(helpLinks, {
              label: 'Ask about this page',
              atRefusal: 'Ask for help',
              needs: 'ticketAdd',
              to: (page) => `/ask?page=${page}`,
            }),
          ],
        },
      ],
    })
    onTestFinished(() => roomsStore.setState({ consoleModules: [] }))
    const { user } = await open(() => ({
      status: 400,
      body: {
        code: 'invalid',
        message: 'Some fields need attention',
        reference: 'r-17',
        fields: [{ field: 'title', says: 'This printer has a ticket already' }],
      },
    }))
    await user.click(screen.getByRole('button', { name: 'Create ticket' }))
    await screen.findByText('2 fields need attention')
    expect(screen.queryByRole('link', { name: 'Ask for help' })).toBeNull()
    await fill(user)
    await user.click(screen.getByRole('button', { name: 'Create ticket' }))
    const link = await screen.findByRole('link', { name: 'Ask for help' })
    expect([link.getAttribute('href'), link.getAttribute('target')]).toEqual(['/ask?page=/add', '_blank'])
    await expectAccessible()
    expect(lastFault()).toMatchObject({ fields: ['Title: This printer has a ticket already'], reference: 'r-17' })
    await user.click(link)
    expect(screen.getByLabelText(/Title/)).toHaveProperty('value', 'Printer')
    expect(JSON.parse(sessionStorage.getItem('chancery-refusal') ?? '')).toMatchObject({
      fields: ['Title: This printer has a ticket already'],
    })
  })

  test('checks a field when it is left, once something was typed', async () => {
    const { user } = await open()
    await user.type(screen.getByLabelText(/Title/), 'A title that is far too long')
    await user.tab()
    expect(await screen.findByText('Use at most 20 characters')).toBeDefined()
    expect(screen.getByLabelText(/Title/).getAttribute('aria-invalid')).toBe('true')
  })

  test('moves nothing under a pressed pointer: a field that is left by pressing the button is checked when that is let go, and the click counts', async () => {
    const { user, server } = await open()
    await user.type(screen.getByLabelText(/Message/), 'It is on fire')
    await user.type(screen.getByLabelText(/Title/), 'A title that is far too long')
    const press = (keys: '[MouseLeft>]' | '[/MouseLeft]', target: HTMLElement) => user.pointer({ keys, target })
    const button = screen.getByRole('button', { name: 'Create ticket' })
    await press('[MouseLeft>]', button)
    expect(document.activeElement).not.toBe(screen.getByLabelText(/Title/))
    expect(screen.queryByText('Use at most 20 characters')).toBeNull()
    await press('[/MouseLeft]', button)
    expect(await screen.findByText('One field needs attention')).toBeDefined()
    // So it is for whatever else is pressed.
    await user.clear(screen.getByLabelText(/Title/))
    await user.type(screen.getByLabelText(/Title/), 'Another title that is too long')
    await press('[MouseLeft>]', screen.getByLabelText(/Hours/))
    expect(screen.queryByText('Use at most 20 characters')).toBeNull()
    await press('[/MouseLeft]', screen.getByLabelText(/Hours/))
    expect(await screen.findByText('Use at most 20 characters')).toBeDefined()
    expect(server.asked).toEqual([])
  })

  test('sends, says what the contract says, and goes on', async () => {
    const { user, server } = await open()
    await fill(user)
    await user.type(screen.getByRole('combobox', { name: 'Names' }), 'ada, grace{Enter}')
    await user.click(screen.getByRole('button', { name: 'Create ticket' }))
    expect(await screen.findByText('Made 7')).toBeDefined()
    expect(server.asked[0]?.body).toEqual({ title: 'Printer', message: 'It is on fire', people: 2, names: ['ada', 'grace'] })
    expect(toastStore.getState().shown).toMatchObject([{ title: 'Ticket created successfully!' }])
  })

  test('is submitted by Ctrl+Enter, and a double click sends once', async () => {
    const made = Promise.withResolvers<Answer>()
    const { user, server } = await open(() => made.promise)
    await fill(user)
    await user.keyboard('{Control>}{Enter}{/Control}')
    const button = screen.getByRole('button', { name: 'Create ticket' })
    await waitFor(() => expect(button.getAttribute('aria-busy')).toBe('true'))
    expect(button.hasAttribute('disabled')).toBe(false)
    await user.dblClick(button)
    made.resolve({ body: { ticketId: '7' } })
    expect(await screen.findByText('Made 7')).toBeDefined()
    expect(server.asked.length).toBe(1)
  })

  test('keeps one idempotency key until it has succeeded', async () => {
    let count = 0
    const { user, server } = await open(() =>
      (count += 1) === 1 ? { status: 503, body: { code: 'unavailable', message: 'x' } } : { body: { ticketId: '7' } },
    )
    await fill(user)
    for (const wanted of [1, 2, 3]) {
      await user.click(screen.getByRole('button', { name: 'Create ticket' }))
      await waitFor(() => expect(server.asked.length).toBe(wanted))
      await waitFor(() => expect(screen.getByRole('button', { name: 'Create ticket' }).getAttribute('aria-busy')).toBe('false'))
    }
    const [first, second, third] = server.asked.map((one) => one.headers['idempotency-key'])
    expect(first).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(second).toBe(first)
    expect(third).not.toBe(first)
  })

  test('shows all that is wrong with one field, below it and in the summary', async () => {
    const { user } = await open(() => ({
      status: 400,
      body: {
        code: 'invalid',
        message: 'x',
        fields: [
          { field: 'title', says: 'This title is taken' },
          { field: 'title', says: 'It has a wildcard' },
        ],
      },
    }))
    await fill(user)
    await user.click(screen.getByRole('button', { name: 'Create ticket' }))
    expect(await screen.findByText('This title is taken. It has a wildcard')).toBeDefined()
    expect(screen.getByText('One field needs attention')).toBeDefined()
    for (const says of ['This title is taken', 'It has a wildcard'])
      expect(screen.getByRole('button', { name: `Title: ${says}` })).toBeDefined()
  })

  test('puts the server’s field errors on the fields', async () => {
    const { user } = await open(() => ({
      status: 400,
      body: { code: 'invalid', message: 'x', fields: [{ field: 'title', says: 'This title is taken' }] },
    }))
    await fill(user)
    await user.click(screen.getByRole('button', { name: 'Create ticket' }))
    expect(await screen.findByRole('button', { name: 'Title: This title is taken' })).toBeDefined()
    expect(screen.getByLabelText(/Title/).getAttribute('aria-invalid')).toBe('true')
  })

  test('shows any other fault beside the form, and keeps what was typed', async () => {
    const { user } = await open(() => ({ status: 409, body: { code: 'tooMany', message: 'x', reference: 'r-9' } }))
    await fill(user)
    await user.click(screen.getByRole('button', { name: 'Create ticket' }))
    expect(await screen.findByText('You have too many open tickets')).toBeDefined()
    expect(screen.getByText('An error occurred during ticket submission')).toBeDefined()
    expect(screen.getByText('Reference r-9')).toBeDefined()
    expect(screen.getByLabelText(/Title/)).toHaveProperty('value', 'Printer')
  })

  test('brings a fault into view and under the focus, each time', async () => {
    const { user } = await open(() => ({ status: 409, body: { code: 'tooMany', message: 'x' } }))
    await fill(user)
    for (const _ of ['first', 'second']) {
      await user.click(screen.getByRole('button', { name: 'Create ticket' }))
      await waitFor(() => expect(document.activeElement?.textContent).toContain('You have too many open tickets'))
    }
    await expectAccessible()
  })

  test('asks before unsaved changes are lost', async () => {
    const { user } = await open()
    await user.type(screen.getByLabelText(/Title/), 'Half')
    await user.click(screen.getByRole('link', { name: 'Leave' }))
    await user.click(await screen.findByRole('button', { name: 'Stay on this page' }))
    expect(screen.getByLabelText(/Title/)).toHaveProperty('value', 'Half')
    await user.click(screen.getByRole('link', { name: 'Leave' }))
    await user.click(await screen.findByRole('button', { name: 'Leave page' }))
    expect(await screen.findByText('Another screen')).toBeDefined()
  })

  test('left untouched asks nothing', async () => {
    const { user } = await open()
    await user.click(screen.getByRole('link', { name: 'Leave' }))
    expect(await screen.findByText('Another screen')).toBeDefined()
  })

  test('is found as it was left when the session ended in between', async () => {
    const { user, unmount } = await open(() => ({ status: 401, body: { code: 'not_logged_in', message: 'x' } }))
    await fill(user)
    await user.click(screen.getByRole('button', { name: 'Create ticket' }))
    expect(await screen.findByText('Another screen')).toBeDefined()
    unmount()
    showScreen(<AddTicket />, { at: '/add' })
    await waitFor(() => expect(screen.getByLabelText(/Title/)).toHaveProperty('value', 'Printer'))
  })
})

describe('a number', () => {
  const people = () => screen.getByLabelText(/^People/)

  test('that is emptied is asked for, and not taken for what the call would take instead', async () => {
    const { user, server } = await open()
    await fill(user)
    await user.clear(people())
    await user.tab()
    expect(await screen.findByText('Enter a value')).toBeDefined()
    await user.click(screen.getByRole('button', { name: 'Create ticket' }))
    expect(await screen.findByRole('button', { name: 'People: Enter a value' })).toBeDefined()
    expect(server.asked).toEqual([])
    await expectAccessible()
  })

  test.each(['1.5', '1e5', '3,5', 'abc', '-'])('that is written %s stands as it was typed, and is refused', async (typed) => {
    const { user, server } = await open()
    await fill(user)
    await user.clear(people())
    await user.type(people(), typed)
    await user.tab()
    expect(await screen.findByText('Enter a whole number')).toBeDefined()
    expect(people()).toHaveProperty('value', typed)
    await user.click(screen.getByRole('button', { name: 'Create ticket' }))
    expect(await screen.findByRole('button', { name: 'People: Enter a whole number' })).toBeDefined()
    expect(server.asked).toEqual([])
  })

  test('that may be left out is left out, with its unit beside it, and the arrows keep to its limits', async () => {
    const { user, server } = await open()
    await fill(user)
    const hours = screen.getByRole('textbox', { name: 'Hours', description: 'Left empty, nobody counts hours' })
    await user.type(hours, '7{ArrowUp}{ArrowUp}')
    expect(hours).toHaveProperty('value', '8')
    await user.clear(hours)
    await user.type(people(), '{ArrowDown}{ArrowDown}{ArrowDown}')
    await user.click(screen.getByRole('button', { name: 'Create ticket' }))
    await waitFor(() => expect(server.asked.length).toBe(1))
    expect(server.asked[0]?.body).toEqual({ title: 'Printer', message: 'It is on fire', people: 1 })
  })
})

const kinds = contract({
  area: 'kinds',
  title: 'Kinds',
  calls: {
    set: {
      does: 'Set.',
      title: 'Set',
      method: 'PUT',
      path: '/api2/x/Kinds',
      needs: 'signedIn',
      input: z.object({
        secret: z.string(),
        kind: z.enum(['a', 'b']),
        several: z.array(z.enum(['a', 'b'])),
        way: z.enum(['a', 'b']),
        on: z.boolean(),
        days: z.array(z.enum(['a', 'b'])),
        from: z.string().optional(),
        csr: z.string().min(1, 'Paste the request'),
      }),
      output: z.object({}),
    },
  },
})
const options = [
  { value: 'a', label: 'First' },
  { value: 'b', label: 'Second', hint: 'The other one' },
] as const

describe('the fields', () => {
  const Kinds = () => (
    <Page title="Kinds">
      <Form call={kinds.calls.set} initial={{ secret: '', on: false, several: [], days: [] }} submit="Save kinds" onDone={() => {}}>
        {(form) => (
          <>
            <PasswordField {...form.field('secret')} label="Secret" autoComplete="new-password" />
            <SelectField {...form.field('kind')} label="Kind" options={options} />
            <MultiSelectField {...form.field('several')} label="Several" options={options} />
            <RadioField {...form.field('way')} label="Way" options={options} />
            <SwitchField {...form.field('on')} label="On" hint="Off by default" />
            <CheckboxGroupField {...form.field('days')} label="Days" options={options} />
            <DateField {...form.field('from')} label="From" />
            <PemInput {...form.field('csr')} label="Certificate request" kind="CERTIFICATE REQUEST" />
          </>
        )}
      </Form>
    </Page>
  )

  test('have labels, hints and errors that a screen reader finds', async () => {
    await answering({})
    const { user } = showScreen(<Kinds />, { at: '/kinds' })
    await user.click(screen.getByRole('button', { name: 'Save kinds' }))
    expect(await screen.findByRole('button', { name: 'Way: Choose one of the list' })).toBeDefined()
    expect(await screen.findByRole('button', { name: 'Certificate request: Enter a value' })).toBeDefined()
    await expectAccessible()
  })

  test('give the values that the call wants', async () => {
    const server = await answering({ 'PUT /api2/x/Kinds': {} })
    const { user } = showScreen(<Kinds />, { at: '/kinds' })
    await user.type(screen.getByLabelText('Secret'), 'horse')
    await user.click(screen.getByRole('combobox', { name: 'Kind' }))
    const [second] = await screen.findAllByRole('option', { name: /^Second/ })
    await user.click(second ?? document.body)
    await user.click(screen.getByRole('radio', { name: 'First' }))
    await user.click(screen.getByRole('switch', { name: /^On/ }))
    await user.click(screen.getByRole('checkbox', { name: 'Second' }))
    await user.type(screen.getByLabelText('From'), '2026-03-31')
    await user.upload(fileInput(), new File([new Uint8Array([0x30, 0x82, 0x01, 0x00, 0xff])], 'request.der'))
    await waitFor(() =>
      expect(screen.getByLabelText(/Certificate request/)).toHaveProperty(
        'value',
        '-----BEGIN CERTIFICATE REQUEST-----\nMIIBAP8=\n-----END CERTIFICATE REQUEST-----\n',
      ),
    )
    await user.click(screen.getByRole('button', { name: 'Save kinds' }))
    await waitFor(() => expect(server.asked.length).toBe(1))
    expect(server.asked[0]?.body).toMatchObject({
      secret: 'horse',
      kind: 'b',
      several: [],
      way: 'a',
      on: true,
      days: ['b'],
      from: '2026-03-31',
    })
  })

  test('refuse a file over 10 MB', async () => {
    await answering({})
    const { user } = showScreen(<Kinds />, { at: '/kinds' })
    await user.upload(fileInput(), new File([new Uint8Array(10 * 1024 * 1024 + 1)], 'big.pem'))
    expect(await screen.findByText('big.pem is larger than 10 MB')).toBeDefined()
  })

  test('say how much text the call takes, and refuse a file with more before it is sent', async () => {
    const given: string[] = []
    const { user } = showScreen(
      <PemInput
        name="csr"
        label="Request"
        most={2_000}
        value=""
        error={undefined}
        onBlur={() => {}}
        onChange={(text) => given.push(text ?? '')}
      />,
    )
    expect(screen.getByText('At most 2,000 characters')).toBeDefined()
    expect(screen.queryByText('At most 10 MB')).toBeNull()
    await user.upload(fileInput(), new File(['A'.repeat(2_001)], 'long.csr'))
    expect(await screen.findByText('long.csr is too long: this field takes at most 2,000 characters')).toBeDefined()
    await user.upload(fileInput(), new File([`${'A'.repeat(2_000)}\n`], 'fits.csr'))
    await waitFor(() => expect(given).toEqual([`${'A'.repeat(2_000)}\n`]))
  })
})

const fileInput = (): HTMLInputElement => {
  const found = document.querySelector<HTMLInputElement>('input[type=file]')
  if (found === null) throw new Error('There is no file input')
  found.removeAttribute('accept')
  return found
}

test('a PEM file stays as it is', () => {
  const pem = '-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n'
  expect(pemText(new TextEncoder().encode(pem), 'CERTIFICATE')).toBe(pem)
})

test('a name that was typed and not ended counts, and Ctrl+Enter sends it', async () => {
  const { server, user } = await open()
  await fill(user)
  await user.type(screen.getByRole('combobox', { name: 'Names' }), 'one.example{Enter}two.example')
  await user.keyboard('{Control>}{Enter}{/Control}')
  await waitFor(() => expect(server.asked.length).toBe(1))
  expect(server.asked[0]?.body).toMatchObject({ names: ['one.example', 'two.example'] })
})

test('a pasted private key goes no further than the field, which says so', async () => {
  const given: string[] = []
  function Paste() {
    const [value, setValue] = useState<string | undefined>('')
    return (
      <PemInput
        name="csr"
        label="Request"
        value={value}
        error={undefined}
        onBlur={() => {}}
        onChange={(text) => {
          given.push(text ?? '')
          setValue(text)
        }}
      />
    )
  }
  const { user } = showScreen(<Paste />)
  const field = screen.getByRole('textbox', { name: 'Request' })
  await user.click(field)
  await user.paste('-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIA==\n-----END PRIVATE KEY-----')
  expect(screen.getByText(/This is a private key/)).toBeDefined()
  expect([given, (field as HTMLTextAreaElement).value]).toEqual([[], ''])
  await expectAccessible()
})
