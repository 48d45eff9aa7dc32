import { Box, Button, Group, Loader, Text } from '@mantine/core'
import { IconChevronDown, IconChevronRight, IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { useMay } from '#core/console/bootstrap.ts'
import { SelectField } from '#core/console/kit/fields.tsx'
import { LinkButton, TextLink } from '#core/console/kit/links.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { EmptyState, FaultAlert, Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { organisations } from '../contract.ts'
import { useOrganisationSearch } from '../organisation-search.tsx'
import { typeLabels } from './labels.ts'
import classes from './TreeOrganisations.module.css'

type Node = OutputOf<typeof organisations.calls.tree>['rows'][number]

export function TreeOrganisations() {
  const may = useMay()
  const navigate = useNavigate()
  const { options, onSearch } = useOrganisationSearch()
  const query = useCall(organisations.calls.tree, {})
  const add = may('orgAdd', 'View') ? (
    <LinkButton to={to(organisations.screens.add)} leftSection={<IconPlus size={16} stroke={1.8} aria-hidden />}>
      {t('New organisation')}
    </LinkButton>
  ) : undefined
  return (
    <Page title={t('Organisation tree')} actions={add}>
      <Box maw={420}>
        <SelectField
          name="jump"
          value={undefined}
          onChange={(id) => {
            if (id !== undefined) void navigate(to(organisations.screens.view, { id }))
          }}
          onBlur={() => {}}
          error={undefined}
          label={t('Find an organisation')}
          placeholder={t('A part of its name')}
          options={options}
          onSearch={onSearch}
        />
      </Box>
      <Loaded query={query}>
        {({ rows, next }) =>
          rows.length === 0 ? (
            <EmptyState title={t('No organisations yet')} text={t('Add the first one, and departments and teams below it.')} action={add} />
          ) : (
            <Section title={t('All organisations')}>
              <Level rows={rows} next={next} parentId={undefined} label={t('All organisations')} />
            </Section>
          )
        }
      </Loaded>
    </Page>
  )
}

/** A level of the tree, and after a press on its last line the next hundred of it. */
function Level({
  rows,
  next,
  parentId,
  label,
}: {
  rows: readonly Node[]
  next: string | undefined
  parentId: string | undefined
  label: string
}) {
  const [more, setMore] = useState(false)
  return (
    <>
      <ul className={classes['level']} aria-label={label}>
        {rows.map((row) => (
          <Branch key={row.id} row={row} />
        ))}
      </ul>
      {next !== undefined &&
        (more ? (
          <Further parentId={parentId} after={next} label={label} />
        ) : (
          <Button variant="subtle" size="compact-sm" onClick={() => setMore(true)}>
            {t('Show more of {name}', { name: label })}
          </Button>
        ))}
    </>
  )
}

function Further({ parentId, after, label }: { parentId: string | undefined; after: string | undefined; label: string }) {
  const place = { ...(parentId === undefined ? {} : { parentId }), ...(after === undefined ? {} : { after }) }
  const query = useCall(organisations.calls.tree, place)
  if (query.data === undefined)
    return query.error === null ? <Loader size="xs" aria-label={t('Loading')} /> : <FaultAlert fault={query.error} />
  return <Level rows={query.data.rows} next={query.data.next} parentId={parentId} label={label} />
}

function Branch({ row }: { row: Node }) {
  const [open, setOpen] = useState(false)
  const Arrow = open ? IconChevronDown : IconChevronRight
  return (
    <li
      className={classes['branch']}
      onKeyDown={(event) => {
        const opens = event.key === 'ArrowRight' ? true : event.key === 'ArrowLeft' ? false : undefined
        if (opens === undefined || row.children === 0 || event.currentTarget !== lineOf(event.target)) return
        event.preventDefault()
        setOpen(opens)
      }}
    >
      <Group gap="xs" wrap="nowrap" className={classes['line'] ?? ''}>
        {row.children > 0 ? (
          <button
            type="button"
            className={classes['arrow']}
            aria-expanded={open}
            aria-label={t('Below {name}', { name: row.name })}
            onClick={() => setOpen(!open)}
          >
            <Arrow size={16} stroke={1.8} aria-hidden />
          </button>
        ) : (
          <span className={classes['arrow']} />
        )}
        <TextLink to={to(organisations.screens.view, { id: row.id })}>{row.name}</TextLink>
        <Text size="sm" c="dimmed" className={classes['counts'] ?? ''}>
          {[
            t(typeLabels[row.type].label),
            row.children > 0 && t('{count, plural, one {# below} other {# below}}', { count: row.children }),
            row.people > 0 && t('{count, plural, one {# person} other {# people}}', { count: row.people }),
          ]
            .filter((part) => part !== false)
            .join(' · ')}
        </Text>
      </Group>
      {open && <Further parentId={row.id} after={undefined} label={row.name} />}
    </li>
  )
}

/** The line of the tree in which something has the focus. */
const lineOf = (target: EventTarget): Element | null => (target instanceof Element ? target.closest('li') : null)
