// Every call of the product, from the OpenAPI description that the server makes of the contracts.

import { Badge, Code, Group, Stack, Text, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useSearchParams } from 'react-router'
import type { CallFault } from '#core/console/call-fault.ts'
import { DownloadButton } from '#core/console/kit/DownloadButton.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { EmptyState, Loaded } from '#core/console/kit/states.tsx'
import { dispatch, type Sendable } from '#core/console/send.ts'
import { t } from '#core/console/text.ts'
import classes from './ApiReference.module.css'
import { curlOf, matchingOperations, operationsOf, type Operation } from './open-api.ts'

const description: Sendable = {
  method: 'GET',
  path: '/api2/openapi.json',
  area: 'home',
  name: 'openApi',
  failed: 'The description of the API could not be read',
}

export function ApiReference() {
  const [search, setSearch] = useSearchParams()
  const text = search.get('text') ?? ''
  const query = useQuery<Operation[], CallFault>({
    queryKey: [description.area, description.name],
    queryFn: async ({ signal }) => operationsOf(await dispatch(description, {}, { signal })),
    staleTime: 3_600_000,
  })
  return (
    <Page
      title={t('API reference')}
      intro={t('Send a personal API token as “Authorization: Bearer …”. You can do there what you can do here.')}
      actions={<DownloadButton label={t('Download OpenAPI 3.1')} fileName="chancery-openapi.json" from={description.path} />}
    >
      <TextInput
        type="search"
        aria-label={t('Search calls')}
        placeholder={t('Path, name or permission')}
        leftSection={<IconSearch size={16} stroke={1.8} aria-hidden />}
        maw={420}
        value={text}
        onChange={(event) =>
          setSearch(event.currentTarget.value === '' ? {} : { text: event.currentTarget.value }, {
            replace: true,
            preventScrollReset: true,
          })
        }
      />
      <Loaded query={query}>{(operations) => <Operations operations={matchingOperations(operations, text)} text={text} />}</Loaded>
    </Page>
  )
}

function Operations({ operations, text }: { operations: readonly Operation[]; text: string }) {
  const areas = [...new Set(operations.map(({ area }) => area))]
  return (
    <>
      <Text size="sm" c="dimmed" role="status">
        {t('{count, plural, one {# call} other {# calls}}', { count: operations.length })}
      </Text>
      {operations.length === 0 && <EmptyState title={t('Nothing matches “{text}”', { text })} />}
      {areas.map((area) => (
        <section key={area} aria-label={area}>
          <h2 className={classes['area']}>{area}</h2>
          <Stack gap={6}>
            {operations
              .filter((operation) => operation.area === area)
              .map((operation) => (
                <Operation key={`${operation.method} ${operation.path}`} operation={operation} />
              ))}
          </Stack>
        </section>
      ))}
    </>
  )
}

function Operation({ operation }: { operation: Operation }) {
  const [open, setOpen] = useState(false)
  return (
    <details className={classes['operation']} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className={classes['summary']}>
        <span className={classes['method']} data-method={operation.method}>
          {operation.method}
        </span>
        <code className={classes['path']}>{operation.path}</code>
        <Text span size="sm" c="dimmed">
          {operation.id}
        </Text>
        <Badge ml="auto">
          {operation.needs === 'public' ? t('Anybody') : operation.needs === 'signedIn' ? t('Anybody signed in') : operation.needs}
        </Badge>
      </summary>
      {open && (
        <Stack gap="sm" p="sm">
          <Text>{operation.does}</Text>
          <div>
            <Text fw={500}>{t('Example')}</Text>
            <Code block tabIndex={0} role="region" aria-label={t('Example')}>
              {curlOf(operation, location.origin)}
            </Code>
          </div>
          {operation.parameters.map(({ name, place, required, schema }) => (
            <Group key={name} gap="xs">
              <code>{name}</code>
              <Text span size="sm" c="dimmed">
                {required ? t('in the {place}, required', { place }) : t('in the {place}', { place })}
              </Text>
              <code className={classes['small']}>{JSON.stringify(schema)}</code>
            </Group>
          ))}
          {operation.request !== undefined && <Schema title={t('Body')} schema={operation.request} />}
          {operation.responses.map(({ status, says, schema }) => (
            <div key={status}>
              <Text fw={500}>{t('Answer {status}', { status })}</Text>
              <Text size="sm" style={{ whiteSpace: 'pre-line' }}>
                {says}
              </Text>
              {status === '200' && schema !== undefined && <Schema title={t('Its body')} schema={schema} />}
            </div>
          ))}
        </Stack>
      )}
    </details>
  )
}

function Schema({ title, schema }: { title: string; schema: unknown }) {
  return (
    <div>
      <Text fw={500}>{title}</Text>
      <Code block tabIndex={0} role="region" aria-label={title} style={{ maxHeight: 360, overflow: 'auto' }}>
        {JSON.stringify(schema, null, 2)}
      </Code>
    </div>
  )
}
