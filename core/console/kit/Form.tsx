// A form over one call: `<Form call={users.calls.add} initial={...} submit={t('Add user')} onDone={...}>{(form) => <TextField {...form.field('username')} .../>}</Form>`.
// The call's own shape checks each field when it is left and everything on submit; what the server says about a field lands on it.
// The button is never disabled; a summary leads to each error and loses it once it is mended; unsaved changes are guarded; Ctrl+Enter submits; one
// idempotency key for each mount makes a double click one request. A form of more than a window's height is a `LongForm` (LongForm.tsx).

import { Button, Group, Loader, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useEffect, useRef, useState, type ReactNode, type SyntheticEvent } from 'react'
import { useLocation } from 'react-router'
import type { Area } from '#core/contract/area.ts'
import type { Call, DraftOf, ExactDraft, OutputOf } from '#core/contract/contract.ts'
import { asCallFault, type CallFault } from '../call-fault.ts'
import { nameFields } from '../last-fault.ts'
import { useSend } from '../queries.ts'
import type { FieldBinding } from './field-binding.ts'
import { keepDraft, takeDraft } from './form-drafts.ts'
import { emptyRequired, focusField, problemsOf, unfold, fieldNode, type Problem } from './form-nodes.ts'
import { valueAt, type FieldPath, type FieldValue } from './form-paths.ts'
import { freshKey } from './fresh-key.ts'
import { useLeaving } from './leaving.ts'
import { LinkButton } from './links.tsx'
import { Failed, ProblemSummary, problemText } from './ProblemSummary.tsx'
import { shapeErrors } from './shape-errors.ts'
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
  /** Hears of a refusal, which the form shows by itself: for a screen whose own state follows from it. */
  onFailed?: (fault: CallFault) => void
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
  /**
   * What only the server knows, by field: a name that is taken. Asked where the form itself finds something wrong, so that all is said in one round; what the
   * form finds nothing wrong with, the call judges.
   */
  ask?: (values: V) => Promise<Record<string, string>>
  /** How the form is laid out; one column without. */
  frame?: (parts: FormParts) => ReactNode
  children: (form: FormKit<V>) => ReactNode
}

type Start<V> = { [K in keyof V]?: V[K] | undefined }

/** The form's values are the call's draft, unless `toInput` makes the draft from values of another type. */
export type FormProps<C extends Call, V extends object = DraftOf<C> & object, D extends DraftOf<C> = DraftOf<C>> = BaseProps<C, V, D> &
  (V extends DraftOf<C> ? unknown : { toInput: (values: V) => ExactDraft<C, D> })

/** What a form is made of, for whoever lays it out. */
export type FormParts = { wrong: ReactNode; fields: ReactNode; buttons: ReactNode; problems: readonly Problem[] }

const oneColumn = ({ wrong, fields, buttons }: FormParts): ReactNode => (
  <Stack gap="md">
    {wrong}
    {fields}
    {buttons}
  </Stack>
)

/** What is wrong with single texts of a list, each after its text: they have no field of their own. */
function ofItems(errors: Readonly<Record<string, unknown>>, path: string, value: unknown): string | undefined {
  if (!Array.isArray(value)) return undefined
  const wrong = value.flatMap((item: unknown, at) => {
    const says = errors[`${path}.${at}`]
    return typeof item === 'string' && typeof says === 'string' ? [`${item.slice(0, 80)}: ${says}`] : []
  })
  return wrong.length === 0 ? undefined : wrong.join('. ')
}

export function Form<C extends Call, V extends object = DraftOf<C> & object, D extends DraftOf<C> = DraftOf<C>>(props: FormProps<C, V, D>) {
  const {
    call,
    initial,
    submit,
    onDone,
    onFailed,
    cancel,
    invalidates,
    quiet,
    danger = false,
    guard = true,
    extra,
    check,
    ask,
    frame = oneColumn,
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
  const [refused, setRefused] = useState(false)
  const key = useRef(freshKey())
  const box = useRef<HTMLFormElement>(null)
  const saved = useRef(false)
  // What the server said, by field: it holds until the value changes, and no shape can judge it.
  const said = useRef<Record<string, string[]>>({})
  const [asking, setAsking] = useState(false)
  const [draft] = useState(() => takeDraft(where))
  // Once, on mount: what was typed before the session ended.
  useEffect(() => {
    if (draft !== undefined) form.setValues(draft as V)
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [])

  const leaving = useLeaving((path) => {
    // What the server said about a value holds until the value changes.
    if (!form.isDirty(path) || said.current[path] !== undefined) return
    const empty = emptyRequired(box.current)[path]
    if (!form.validateField(path).hasError && empty !== undefined) form.setFieldError(path, empty)
  })

  // The summary follows the errors once somebody has tried to submit.
  useEffect(() => {
    if (attempt > 0) setProblems(problemsOf(box.current, form.errors, said.current))
  }, [attempt, form.errors])
  // What another field has mended is wrong no more: a name in the subject makes up for none beside it.
  useEffect(() => {
    const fields = Object.keys(form.errors).filter((field) => said.current[field] === undefined)
    if (attempt === 0 || fields.length === 0) return
    const wrong = { ...emptyRequired(box.current), ...errorsOf(form.values) }
    for (const field of fields) if (wrong[field] === undefined) form.clearFieldError(field)
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [form.values])

  const show = (errors: Record<string, string>): void => {
    form.setErrors(errors)
    for (const field of Object.keys(errors)) unfold(fieldNode(box.current, field))
    setAttempt((count) => count + 1)
    setProblems(problemsOf(box.current, errors, said.current))
  }
  const askServer = async (values: V): Promise<void> => {
    if (ask === undefined) return
    setAsking(true)
    const asked = await ask(values).catch(() => ({}))
    setAsking(false)
    said.current = Object.fromEntries(Object.entries(asked).map(([field, says]) => [field, [says]]))
  }
  const submitAll = async (event?: SyntheticEvent): Promise<void> => {
    event?.preventDefault()
    if (sender.pending || asking) return
    setFault(undefined)
    setRefused(false)
    leaving.forget()
    said.current = {}
    const values = form.getValues()
    const wrong = { ...emptyRequired(box.current), ...errorsOf(values) }
    if (Object.keys(wrong).length > 0) {
      await askServer(values)
      // Of one field the form's own words stand first.
      said.current = Object.fromEntries(Object.entries(said.current).filter(([field]) => wrong[field] === undefined))
      return show({ ...joined(said.current), ...wrong })
    }
    show({})
    try {
      const answer = await sender.run<DraftOf<C>>(toInput(values) as ExactDraft<C, DraftOf<C>>, { idempotencyKey: key.current })
      key.current = freshKey()
      saved.current = true
      form.resetDirty(values)
      await onDone(answer, values)
      saved.current = false
    } catch (thrown) {
      const failed = asCallFault(thrown)
      onFailed?.(failed)
      if (failed.status === 401) keepDraft(where, values)
      const landed = failed.fields.filter(({ field }) => field !== '')
      said.current = Object.fromEntries(
        [...Map.groupBy(landed, ({ field }) => field)].map(([field, all]) => [field, [...new Set(all.map(({ says }) => says))]]),
      )
      show(joined(said.current))
      setRefused(true)
      if (landed.length > 0) nameFields(problemsOf(box.current, joined(said.current), said.current).map(problemText))
      if (landed.length === 0) setFault(failed)
    }
  }

  const kit: FormKit<V> = {
    values: form.values,
    pending: sender.pending,
    field: (path) => {
      const value = valueAt(form.values, path) as FieldValue<V, typeof path>
      const error = form.errors[path] ?? ofItems(form.errors, path, value)
      return {
        name: path,
        value,
        onChange: (value) => {
          mended(path)
          setAt(path, value)
        },
        onBlur: () => leaving.leave(path),
        error: error === undefined || error === null ? undefined : String(error),
      }
    },
    set: (path, value) => {
      mended(path)
      setAt(path, value)
    },
    clearErrors: mended,
    setAll: (values) => {
      for (const path of Object.keys(values)) mended(path)
      form.setValues(values)
    },
    error: (path) => {
      const error = form.errors[path]
      return error === undefined || error === null ? undefined : String(error)
    },
  }
  /** What was said of this value, of a part of it, or of the list that it is one of. */
  function mended(path: string): void {
    for (const field of Object.keys(form.errors)) {
      if (field !== path && !field.startsWith(`${path}.`) && !path.startsWith(`${field}.`)) continue
      delete said.current[field]
      form.clearFieldError(field)
    }
  }
  // Mantine's own path type does not follow optional values; ours has checked path and value already.
  function setAt(path: string, value: unknown): void {
    const set: (path: string, value: never) => void = form.setFieldValue
    set(path, value as never)
  }

  const busy = sender.pending || asking
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
      {frame({
        problems,
        wrong: (
          <>
            <ProblemSummary problems={problems} attempt={attempt} refused={refused} onPick={(field) => focusField(box.current, field)} />
            <Failed fault={fault} />
          </>
        ),
        fields: children(kit),
        buttons: (
          <Group gap="xs">
            <Button
              type="submit"
              aria-busy={busy}
              {...(danger ? { color: 'red' } : {})}
              {...(busy ? { leftSection: <Loader size={14} color="currentColor" /> } : {})}
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
        ),
      })}
      {guard && <UnsavedGuard dirty={() => form.isDirty() && !saved.current} />}
    </form>
  )
}

/** All that is wrong with each field, as one text below it. */
const joined = (said: Readonly<Record<string, readonly string[]>>): Record<string, string> =>
  Object.fromEntries(Object.entries(said).map(([field, all]) => [field, sentences(all)]))

const sentences = (all: readonly string[]): string =>
  all.map((says, at) => (at < all.length - 1 ? says.replace(/\.?$/, '.') : says)).join(' ')
