// A certificate, request or key, by pasting, dropping or picking a file; the caller shows at once what it is. A binary (DER) file becomes
// base64, so that what is sent is always text.

import { Box, FileButton, Button, Group, Text, Textarea } from '@mantine/core'
import { IconFileUpload } from '@tabler/icons-react'
import { useState, type DragEvent } from 'react'
import { LARGEST_FILE } from '#standards/pem/limits.ts'
import { holdsPrivateKey } from '#standards/pem/private-key.ts'
import { decodeText } from '#standards/pem/text-encoding.ts'
import { formatNumber, t } from '../text.ts'
import type { FieldBinding } from './field-binding.ts'
import classes from './PemInput.module.css'

/** A file as it was read, or a sentence that says why it was not. */
export type TakenFile = { name: string; content: string; says?: never } | { name: string; content?: never; says: string }

export type PemInputProps = FieldBinding<string | undefined> & {
  label: string
  hint?: string
  required?: boolean
  /** The PEM label that a binary file is wrapped with: "CERTIFICATE REQUEST". */
  kind?: string
  /** So many characters, where the call takes fewer than a file of 10 MB has. */
  most?: number
  rows?: number
  /** File name endings offered when picking. */
  accept?: string
  /** Several files at once: each goes here by its name, and the text stays what is pasted. */
  onFiles?: (files: readonly TakenFile[]) => void
  /** A PKCS#12 is welcome, though a private key may be in it. */
  pkcs12?: boolean
}

export function PemInput({
  name,
  value,
  onChange,
  onBlur,
  error,
  label,
  hint,
  required = false,
  kind,
  most,
  rows = 8,
  onFiles,
  pkcs12 = false,
  accept = '.pem,.csr,.crt,.cer,.der,.p10,.req,.p7b,.p7c,.crl,.txt',
}: PemInputProps) {
  const [over, setOver] = useState(false)
  const [refused, setRefused] = useState('')

  const give = (text: string): void => {
    if (holdsPrivateKey(text, { pkcs12 }))
      return setRefused(
        t(
          'This is a private key. It was not sent and is not kept here: keep it where it is, and paste the file that was made with it instead',
        ),
      )
    onChange(text)
  }
  const read = async (file: File): Promise<TakenFile> => {
    const { name: own } = file
    if (file.size > LARGEST_FILE) return { name: own, says: t('{name} is larger than 10 MB', { name: own }) }
    try {
      const content = pemText(new Uint8Array(await file.arrayBuffer()), kind)
      if (most !== undefined && content.trim().length > most)
        return {
          name: own,
          says: t('{name} is too long: this field takes at most {most} characters', { name: own, most: formatNumber(most) }),
        }
      return holdsPrivateKey(content, { pkcs12 })
        ? {
            name: own,
            says: t(
              '{name} holds a private key. It was not sent and is not kept here: keep it where it is, and choose the file that was made with it instead',
              { name: own },
            ),
          }
        : { name: own, content }
    } catch {
      return { name: own, says: t('{name} could not be read', { name: own }) }
    }
  }
  const take = async (files: readonly File[]): Promise<void> => {
    if (files.length === 0) return
    setRefused('')
    const taken = await Promise.all(files.map(read))
    if (onFiles !== undefined) return onFiles(taken)
    const [one] = taken
    if (one?.says !== undefined) setRefused(one.says)
    else if (one !== undefined) onChange(one.content)
  }
  const drop = (event: DragEvent): void => {
    event.preventDefault()
    setOver(false)
    const files = [...event.dataTransfer.files]
    if (files.length === 0) give(event.dataTransfer.getData('text'))
    else void take(onFiles === undefined ? files.slice(0, 1) : files)
  }

  return (
    <Box
      className={classes['zone']}
      data-over={over || undefined}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <Textarea
        data-field={name}
        label={label}
        description={hint ?? t('Paste it here, or drop or choose a file')}
        required={required}
        value={value ?? ''}
        error={refused === '' ? error : refused}
        rows={rows}
        spellCheck={false}
        autoComplete="off"
        classNames={{ input: classes['text'] ?? '' }}
        onChange={(event) => {
          setRefused('')
          give(event.currentTarget.value)
        }}
        onBlur={onBlur}
      />
      <Group gap="xs" mt={6}>
        <FileButton
          multiple={onFiles !== undefined}
          onChange={(picked) => void take(picked === null ? [] : [picked].flat())}
          accept={accept}
        >
          {(props) => (
            <Button {...props} size="xs" variant="default" leftSection={<IconFileUpload size={16} stroke={1.8} aria-hidden />}>
              {onFiles !== undefined ? t('Choose files') : t('Choose a file')}
            </Button>
          )}
        </FileButton>
        <Text size="xs" c="dimmed">
          {most === undefined ? t('At most 10 MB') : t('At most {most} characters', { most: formatNumber(most) })}
        </Text>
      </Group>
    </Box>
  )
}

/** A file's content as text: PEM or base64 stays as it is, DER (which starts with a SEQUENCE) is encoded. */
export function pemText(bytes: Uint8Array, kind?: string): string {
  if (bytes[0] !== 0x30 || !bytes.some((byte) => byte > 0x7e || (byte < 0x20 && byte !== 9 && byte !== 10 && byte !== 13)))
    return decodeText(bytes)
  let binary = ''
  for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192))
  const lines = btoa(binary).match(/.{1,64}/g) ?? []
  return kind === undefined ? lines.join('\n') : [`-----BEGIN ${kind}-----`, ...lines, `-----END ${kind}-----`, ''].join('\n')
}
