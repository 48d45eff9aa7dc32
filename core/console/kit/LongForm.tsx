// A form of more than a window's height: `<LongForm ...>` takes what `Form` takes, its parts are `<FormSection title=...>`. The sections are listed
// beside it, each with how many of its fields need attention; Save, and what is wrong, stay in view below. What few people need is folded.

import { Paper, Stack, Text, Title } from '@mantine/core'
import { createContext, useCallback, useContext, useEffect, useId, useState, type ReactNode } from 'react'
import type { Call, DraftOf } from '#core/contract/contract.ts'
import { t } from '../text.ts'
import { Folded } from './Fold.tsx'
import { unfold } from './form-nodes.ts'
import { Form, type FormParts, type FormProps } from './Form.tsx'
import classes from './LongForm.module.css'

export function LongForm<C extends Call, V extends object = DraftOf<C> & object, D extends DraftOf<C> = DraftOf<C>>(
  props: FormProps<C, V, D>,
) {
  return <Form {...props} frame={(parts) => <LongFrame {...parts} />} />
}

type Listed = { id: string; title: string }

/** Adds a section to the list; answers how to take it away. Absent where there is no list. */
const SectionList = createContext<((section: Listed) => () => void) | undefined>(undefined)

function LongFrame({ wrong, fields, buttons, problems }: FormParts) {
  const [sections, setSections] = useState<readonly Listed[]>([])
  const add = useCallback((section: Listed) => {
    setSections((before) => inPageOrder([...before.filter(({ id }) => id !== section.id), section]))
    return () => setSections((before) => before.filter(({ id }) => id !== section.id))
  }, [])
  const at = useSectionInView(sections)
  return (
    <SectionList value={add}>
      <div className={classes['long']}>
        <nav className={classes['list']} aria-label={t('Sections of this form')}>
          <ul>
            {sections.map(({ id, title }) => {
              const count = new Set(problems.filter(({ section }) => section === id).map(({ field }) => field)).size
              return (
                <li key={id}>
                  <button
                    type="button"
                    data-faulty={count > 0 ? count : undefined}
                    aria-current={id === at ? 'true' : undefined}
                    {...(count > 0 && {
                      'aria-label': t('{title}: {count, plural, one {one to mend} other {# to mend}}', { title, count }),
                    })}
                    onClick={() => go(id)}
                  >
                    {title}
                  </button>
                </li>
              )
            })}
          </ul>
        </nav>
        <div className={classes['fields']}>{fields}</div>
        <div className={classes['foot']}>
          <div className={classes['wrong']}>{wrong}</div>
          {buttons}
        </div>
      </div>
    </SectionList>
  )
}

const inPageOrder = (sections: readonly Listed[]): Listed[] =>
  sections.toSorted((a, b) => {
    const [one, other] = [document.getElementById(a.id), document.getElementById(b.id)]
    if (one === null || other === null) return 0
    return (one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING) === 0 ? 1 : -1
  })

function go(id: string): void {
  const section = document.getElementById(id)
  unfold(section?.querySelector(':scope > details > *') ?? undefined)
  const heading = section?.querySelector<HTMLElement>('h2')
  heading?.focus({ preventScroll: true })
  section?.scrollIntoView?.({ block: 'start' })
}

/** The section that is being read: the last whose head has passed the upper third of the window. */
function useSectionInView(sections: readonly Listed[]): string | undefined {
  const [at, setAt] = useState<string>()
  useEffect(() => {
    const look = (): void => {
      const passed = sections.filter(({ id }) => (document.getElementById(id)?.getBoundingClientRect().top ?? Infinity) < innerHeight / 3)
      setAt((passed.at(-1) ?? sections[0])?.id)
    }
    look()
    addEventListener('scroll', look, { passive: true })
    return () => removeEventListener('scroll', look)
  }, [sections])
  return at
}

export type FormSectionProps = {
  title: string
  intro?: ReactNode
  /** Beside the title, or above the fields where it is folded. */
  actions?: ReactNode
  /** What few people need: folded at first. In a few words what stands in it: "None", "2 policies". */
  folded?: string
  children: ReactNode
}

/** A part of a long form; by itself a titled box. */
export function FormSection({ title, intro, actions, folded, children }: FormSectionProps) {
  const id = useId()
  const add = useContext(SectionList)
  useEffect(() => add?.({ id, title }), [add, id, title])
  const head = (
    <Title order={2} size="h4" tabIndex={-1}>
      {title}
    </Title>
  )
  const said = intro !== undefined && (
    <Text size="sm" c="dimmed">
      {intro}
    </Text>
  )
  return (
    <Paper component="section" withBorder p="md" id={id} data-form-section aria-label={title} className={classes['section']}>
      {folded === undefined ? (
        <Stack gap="sm">
          <div className={classes['head']}>
            <div>
              {head}
              {said}
            </div>
            {actions}
          </div>
          {children}
        </Stack>
      ) : (
        <Folded head={head} says={folded}>
          {said}
          {actions}
          {children}
        </Folded>
      )}
    </Paper>
  )
}
