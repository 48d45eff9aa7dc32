// The documents that come with the product; one is read in a dialog, whose address can be passed on.

import { Modal } from '@mantine/core'
import { useSearchParams } from 'react-router'
import { TextLink } from '#core/console/kit/links.tsx'
import { Markdown } from '#core/console/kit/Markdown.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { home } from '../contract.ts'

export function DocumentList() {
  const [search, setSearch] = useSearchParams()
  const query = useCall(home.calls.documentation, {})
  const open = search.get('document')
  return (
    <Loaded query={query}>
      {({ files }) => (
        <>
          <ul style={{ margin: 0, paddingInlineStart: 18 }}>
            {files.map(({ name, title }) => (
              <li key={name}>
                <TextLink to={`?document=${encodeURIComponent(name)}`}>{t(title)}</TextLink>
              </li>
            ))}
          </ul>
          <Modal
            opened={open !== null}
            onClose={() => setSearch({}, { preventScrollReset: true })}
            title={t(files.find(({ name }) => name === open)?.title ?? 'Document')}
            size="xl"
          >
            {open !== null && <Document name={open} />}
          </Modal>
        </>
      )}
    </Loaded>
  )
}

function Document({ name }: { name: string }) {
  return <Loaded query={useCall(home.calls.document, { name })}>{({ text }) => <Markdown text={text} />}</Loaded>
}
