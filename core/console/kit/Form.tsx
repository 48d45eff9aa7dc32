// A form over one call: `<Form call={users.calls.add} initial={...} submit={t('Add user')} onDone={...}>{(form) => <TextField {...form.field('username')} .../>}</Form>`.
// The call's own shape checks each field when it is left and everything on submit; what the server says about a field lands on it.
// The button is never disabled; a summary leads to each error; unsaved changes are guarded; Ctrl+Enter submits; one idempotency key
// for each mount makes a double click one request.

import { Alert, Anchor, Button, Group, Loader, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useEffect, useRef, useState, type ReactNode, type SyntheticEvent } from 'react'
import { useLocation } from 'react-router'
import type { Area } from '#core/contract/area.ts'
import type { Call, DraftOf, ExactDraft, OutputOf } from '#core/contract/contract.ts'
import { asCallFault, type CallFault } from '../call-fault.ts'
import { useSend } from '../queries.ts'
import { t } from '../text.ts'
import type { FieldBinding } from './field-binding.ts'
import { keepDraft, takeDraft } from './form-drafts.ts'
import { valueAt, type FieldPath, type FieldValue } from './form-paths.ts'
import { freshKey } from './fresh-key.ts'
import { useLeaving } from './leaving.ts'
import { LinkButton } from './links.tsx'
import { shapeErrors } from './shape-errors.ts'
import { FaultAlert } from './states.tsx'
import { UnsavedGuard } from './UnsavedGuard.tsx'

export type FormKit<V extends object> = {
  values: V
  /** What a field component takes: `<TextField {...form.field('name')} label=... />`. */
  field<P extends FieldPath<V>>(path: P): FieldBinding<FieldValue<V, P>>
  /** Forgets what was said about this field and all below it: what it said has been mended elsewhere. */
  clearErrors(path: FieldPath<V>): void
  /** Sets one value from outside its field: a list's new item, a choice that follows from another. */
  set<P extends FieldPath<V>>(path: P, value: FieldValue<V, P>): void
  setAll(values: Partial<V>): void
  error(path: FieldPath<V>): string | undefined
  pending: boolean
}

type BaseProps<C extends Call, V extends object, D extends DraftOf<C> = DraftOf<C>> = {
  call: C
  /** Where the form starts. What a person has yet to give may be left out. */
  initial: NoInfer<Start<V>>
  /** Verb and object: "Create template". */
  submit: string
  onDone: (answer: OutputOf<C>, values: V) => void | Promise<void>
  /** Beside submit: a link back to the list, or a function. */
  cancel?: { label: string; to: string } | { label: string; onClick: () => void }
  invalidates?: readonly Area[]
  /** No `done` toast. */
  quiet?: boolean
  danger?: boolean
  /** False in dialogs, on sign-in pages and in wizards that keep the values. */
  guard?: boolean
  /** More buttons at the end of the button row. */
  extra?: ReactNode
  /** Makes the call's draft where the form's values differ from it: annotate the parameter, `toInput={(values: Values) => ({ ... })}`. */
  toInput?: (values: V) => ExactDraft<C, D>
  /** What the call's shape cannot know, by field. Said first. */
  check?: (values: V) => Record<string, string>
  children: (form: FormKit<V>) => ReactNode
}

type Start<V> = { [K in keyof V]?: V[K] | undefined }

/** The form's values are the call's draft, unless `toInput` makes the draft from values of another type. */
export type FormProps<C extends Call, V extends object = DraftOf<C> & object, D extends DraftOf<C> = DraftOf<C>> = BaseProps<C, V, D> &
  (V extends DraftOf<C> ? unknown : { toInput: (values: V) => ExactDraft<C, D> })

type Problem = { field: string; label: string; says: string }

export function Form<C extends Call, V extends object = DraftOf<C> & object, D extends DraftOf<C> = DraftOf<C>>(props: FormProps<C, V, D>) {
  const {
    call,
    initial,
    submit,
    onDone,
    cancel,
    invalidates,
    quiet,
    danger = false,
    guard = true,
    extra,
    check,
    children,
  }: BaseProps<C, V> = props
  const toInput: (values: V) => unknown = props.toInput ?? ((values) => values)
  const where = `${useLocation().pathname} ${call.area}.${call.name}`
  const [start] = useState(() => initial as V)
  const errorsOf = (values: V): Record<string, string> => {
    const first = check?.(values) ?? {}
    return { ...first, ...shapeErrors(call.input, toInput(values)), ...first }
  }
  const form = useForm<V>({
    mode: 'controlled',
    initialValues: start,
    validateInputOnBlur: true,
    validate: (values) => errorsOf(values),
  })
  const sender = useSend(call, { ...(invalidates === undefined ? {} : { invalidates }), ...(quiet === undefined ? {} : { quiet }) })
  const [problems, setProblems] = useState<Problem[]>([])
  // The summary takes the focus once for each attempt, never while its items are being mended.
  const [attempt, setAttempt] = useState(0)
  const [fault, setFault] = useState<CallFault>()
  const key = useRef(freshKey())
  const box = useRef<HTMLFormElement>(null)
  const saved = useRef(false)
  const [draft] = useState(() => takeDraft(where))
  // Once, on mount: what was typed before the session ended.
  useEffect(() => {
    if (draft !== undefined) form.setValues(draft as V)
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [])

  const leaving = useLeaving((path) => {
    // What the server said about a value holds until the value changes.
    if (!form.isDirty(path) || problems.some(({ field }) => field === path)) return
    const empty = emptyRequired(box.current)[path]
    if (!form.validateField(path).hasError && empty !== undefined) form.setFieldError(path, empty)
  })

  const show = (errors: readonly (readonly [string, string])[]): void => {
    setAttempt((count) => count + 1)
    setProblems(errors.map(([field, says]) => ({ field, label: labelOf(box.current, field), says })))
  }
  const submitAll = async (event?: SyntheticEvent): Promise<void> => {
    event?.preventDefault()
    if (sender.pending) return
    setFault(undefined)
    leaving.forget()
    const errors = { ...emptyRequired(box.current), ...errorsOf(form.getValues()) }
    form.setErrors(errors)
    show(Object.entries(errors))
    if (Object.keys(errors).length > 0) return
    const values = form.getValues()
    try {
      const answer = await sender.run<DraftOf<C>>(toInput(values) as ExactDraft<C, DraftOf<C>>, { idempotencyKey: key.current })
      key.current = freshKey()
      saved.current = true
      form.resetDirty(values)
      await onDone(answer, values)
      saved.current = false
    } catch (thrown) {
      const failed = asCallFault(thrown)
      if (failed.status === 401) keepDraft(where, values)
      const landed = failed.fields.filter(({ field }) => field !== '').map(({ field, says }): [string, string] => [field, says])
      form.setErrors(
        Object.fromEntries(
          [...Map.groupBy(landed, ([field]) => field)].map(([field, all]) => [field, sentences(all.map(([, says]) => says))]),
        ),
      )
      show(landed)
      if (landed.length === 0) setFault(failed)
    }
  }

  const kit: FormKit<V> = {
    values: form.values,
    pending: sender.pending,
    field: (path) => {
      const error = form.errors[path]
      return {
        name: path,
        value: valueAt(form.values, path) as FieldValue<V, typeof path>,
        onChange: (value) => {
          mended(path)
          setAt(path, value)
        },
        onBlur: () => leaving.leave(path),
        error: error === undefined || error === null ? undefined : String(error),
      }
    },
    set: (path, value) => setAt(path, value),
    clearErrors: (path) => {
      for (const field of Object.keys(form.errors)) if (field === path || field.startsWith(`${path}.`)) mended(field)
    },
    setAll: (values) => form.setValues(values),
    error: (path) => {
      const error = form.errors[path]
      return error === undefined || error === null ? undefined : String(error)
    },
  }
  function mended(path: string): void {
    form.clearFieldError(path)
    setProblems((before) => (before.some(({ field }) => field === path) ? before.filter(({ field }) => field !== path) : before))
  }
  // Mantine's own path type does not follow optional values; ours has checked path and value already.
  function setAt(path: string, value: unknown): void {
    const set: (path: string, value: never) => void = form.setFieldValue
    set(path, value as never)
  }

  return (
    <form
      ref={box}
      noValidate
      onSubmit={(event) => void submitAll(event)}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
          event.preventDefault()
          void submitAll()
        }
      }}
    >
      <Stack gap="md">
        <ProblemSummary problems={problems} attempt={attempt} onPick={(field) => fieldNode(box.current, field)?.focus()} />
        <Failed fault={fault} />
        {children(kit)}
        <Group gap="xs">
          <Button
            type="submit"
            aria-busy={sender.pending}
            {...(danger ? { color: 'red' } : {})}
            {...(sender.pending ? { leftSection: <Loader size={14} color="currentColor" /> } : {})}
          >
            {submit}
          </Button>
          {cancel !== undefined &&
            ('to' in cancel ? (
              <LinkButton variant="default" to={cancel.to}>
                {cancel.label}
              </LinkButton>
            ) : (
              <Button variant="default" onClick={cancel.onClick}>
                {cancel.label}
              </Button>
            ))}
          {extra}
        </Group>
      </Stack>
      {guard && <UnsavedGuard dirty={() => form.isDirty() && !saved.current} />}
    </form>
  )
}

/** All that is wrong with one field, below it. */
const sentences = (all: readonly string[]): string =>
  [...new Set(all)].map((says, at) => (at < all.length - 1 ? says.replace(/\.?$/, '.') : says)).join(' ')

/** What is marked as required and left empty, where the call's shape would take it: a sign-in without a name is not worth a question. */
function emptyRequired(box: HTMLElement | null): Record<string, string> {
  const inputs = [
    ...(box?.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>(
      'input[data-field], textarea[data-field], [data-field] input[required]',
    ) ?? []),
  ]
  const empty = inputs.filter(
    (input) =>
      input.required &&
      input.getAttribute('role') !== 'combobox' &&
      input.type !== 'radio' &&
      input.type !== 'checkbox' &&
      input.value.trim() === '',
  )
  return Object.fromEntries(
    empty
      .map((input) => [input.closest('[data-field]')?.getAttribute('data-field') ?? '', t('Enter a value')])
      .filter(([name]) => name !== ''),
  )
}

function ProblemSummary({ problems, attempt, onPick }: { problems: readonly Problem[]; attempt: number; onPick: (field: string) => void }) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    box.current?.focus()
  }, [attempt])
  if (problems.length === 0) return null
  return (
    <Alert
      ref={box}
      tabIndex={-1}
      color="red"
      variant="light"
      role="alert"
      icon={<IconAlertTriangle size={18} aria-hidden />}
      title={t('{count, plural, one {One field needs attention} other {# fields need attention}}', {
        count: new Set(problems.map(({ field }) => field)).size,
      })}
    >
      <ul style={{ margin: 0, paddingInlineStart: 18 }}>
        {problems.map(({ field, label, says }) => (
          <li key={field + says}>
            <Anchor component="button" type="button" c="inherit" ta="start" onClick={() => onPick(field)}>
              {label === '' ? says : `${label}: ${says}`}
            </Anchor>
          </li>
        ))}
      </ul>
    </Alert>
  )
}

/** What failed is said at the top of the form, which can be far above the button: it takes the focus, and comes into view with it. */
function Failed({ fault }: { fault: CallFault | undefined }) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    box.current?.focus()
  }, [fault])
  if (fault === undefined) return null
  return (
    <div ref={box} tabIndex={-1}>
      <FaultAlert fault={fault} />
    </div>
  )
}

/** The field's element; an error deep inside a list's item leads to the nearest field above it. */
function fieldNode(box: HTMLElement | null, path: string): HTMLElement | undefined {
  for (let at = path; at !== ''; at = at.includes('.') ? at.slice(0, at.lastIndexOf('.')) : '') {
    const found = box?.querySelector<HTMLElement>(`[data-field="${CSS.escape(at)}"]`)
    if (found !== null && found !== undefined)
      return found.matches('input, textarea, select, button')
        ? found
        : (found.querySelector<HTMLElement>('input, textarea, button') ?? found)
  }
  return undefined
}

function labelOf(box: HTMLElement | null, field: string): string {
  const node = fieldNode(box, field)
  const own =
    node instanceof HTMLInputElement || node instanceof HTMLTextAreaElement
      ? node.closest('[role="radiogroup"], [role="group"]')
      : undefined
  const group = own === null || own === undefined ? undefined : document.getElementById(own.getAttribute('aria-labelledby') ?? '')
  const label = group ?? (node instanceof HTMLInputElement || node instanceof HTMLTextAreaElement ? node.labels?.[0] : undefined)
  return label?.textContent?.replace(/\s*\*\s*$/, '') ?? ''
}
