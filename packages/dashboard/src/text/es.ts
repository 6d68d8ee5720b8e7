import { visitorWords } from '@visitor-counter/domain/visitor-words';
import type { Text } from './en.ts';
import { counted, isolated, number } from './locale.ts';
import { settings } from './settings.es.ts';
import { store } from './store.es.ts';
import { stores } from './stores.es.ts';

const people = (n: number) => counted(n, { one: 'persona', other: 'personas' });
const theDoor = (name: string | undefined) =>
  name === undefined ? 'una puerta' : `la puerta «${isolated(name)}»`;

export const es: Text = {
  title: 'Contador de visitantes',
  skip: 'Ir al contenido',
  language: 'Idioma',
  nav: {
    label: 'Páginas',
    overview: 'Tiendas',
    devices: 'Contadores',
    wall: 'Pantalla',
    settings: 'Ajustes',
    reports: 'Informes',
    signOut: 'Cerrar sesión',
  },
  signIn: {
    heading: 'Iniciar sesión',
    token: 'Clave de acceso',
    hint: 'Se la dio su operador.',
    wrong: 'Esta clave de acceso no es válida para la página.',
    insecure:
      'La conexión no está cifrada, por lo que no se acepta su clave de acceso. Abra la dirección con https:// al principio o pregunte a su operador.',
    tooMany: 'Demasiados intentos. Inténtelo de nuevo dentro de un minuto.',
    over: 'Se ha cerrado la sesión. Vuelva a iniciarla.',
    notOut:
      'No se puede contactar con el servidor, así que su sesión sigue abierta en este dispositivo. Vuelva a cargar la página más tarde y cierre la sesión.',
  },
  contact: {
    connecting: 'Conectando…',
    live: 'En directo',
    polled: 'Cada 5 segundos',
    whyPolled:
      'Las cifras en directo no llegan a este dispositivo, así que la página las pide cada 5 segundos. Su operador puede cambiarlo.',
    old: 'Sin actualizar',
    stale: (since) => `El servidor no puede leer sus datos en este momento. Las cifras son de las ${since}.`,
    lost: (since) => `Sin contacto con el servidor. Las cifras son de las ${since}.`,
    never: 'Sin contacto con el servidor.',
  },
  failed: 'No se ha podido cargar.',
  unreachable: 'No se puede contactar con el servidor. Inténtelo de nuevo.',
  refused: 'No se puede guardar así. Revise lo que ha escrito.',
  again: 'Intentar de nuevo',
  goOn: 'Continuar',
  loading: 'Cargando…',
  cancel: 'Cancelar',
  notFound: 'No hay coincidencias.',
  showAll: 'Mostrar todo',
  save: 'Guardar',
  insideNow: 'Dentro ahora',
  peopleInside: 'Personas dentro',
  staff: 'Personal',
  door: 'Puerta',
  yourName: 'Su nombre',
  optionalNote: 'Nota (opcional)',
  saving: 'Guardando…',
  enteredToday: 'Indicado hoy',
  remove: 'Eliminar',
  since: (time) => `desde ${time}`,
  inside: (capacity) => (capacity === null ? 'dentro ahora' : `dentro ahora, aforo de ${number(capacity)}`),
  opening: {
    closed: 'Cerrada',
    at: (time) => `abre a las ${time}`,
    on: (day, time) => `abre el ${day}, ${time}`,
  },
  full: 'Llena',
  nearlyFull: 'Casi llena',
  overfull: (n) => `${number(n)} de más`,
  capacity: (percent) => `${percent} del aforo`,
  healthy: 'Todos los contadores funcionan',
  verdicts: {
    accurate: 'Las cifras son fiables',
    unproven: 'Todavía no se sabe lo exactas que son las cifras',
    doubtful: 'Las cifras pueden ser incorrectas',
    dead: 'Un contador no funciona',
  },
  complete: 'Ha llegado todo lo que se contó en este tiempo',
  doubtful: 'La cifra puede ser incorrecta',
  completeUntil: (time) => `Datos completos hasta el ${time}`,
  completeUnknown: 'No se sabe hasta cuándo están completas las cifras',
  obstacles: {
    offline: (name) => `El contador de ${theDoor(name)} está desconectado`,
    'never-connected': (name) => `El contador de ${theDoor(name)} no se ha conectado nunca`,
    pending: (name, n) =>
      `El contador de ${theDoor(name)} ha contado ${people(n)} más; las cifras llegarán después`,
    'pending-unknown': (name) => `El contador de ${theDoor(name)} no ha indicado cuánto le falta por enviar`,
    missing: (name, n) => `Faltan ${people(n)} en ${theDoor(name)}; aún pueden llegar`,
    lost: (name, n) => `No se ha podido contar a ${people(n)} en ${theDoor(name)}`,
    conflict: (name) => `Primero hay que comprobar algunas cifras en ${theDoor(name)}: llame a su operador`,
    'beam-blocked': (name) =>
      `El contador de ${theDoor(name)} tiene la luz tapada: allí no se cuenta a nadie`,
    'beam-flickering': (name) =>
      `La luz del contador de ${theDoor(name)} parpadea: sus cifras son incorrectas, casi siempre demasiado bajas`,
    'beams-unreadable': (name) =>
      `Llame a su instalador: el contador de ${theDoor(name)} está averiado y allí no se cuenta a nadie`,
    'direction-doubtful': (name) =>
      `El contador de ${theDoor(name)} parece confundir a quienes entran con quienes salen`,
    'storage-losing': (name, n) =>
      `El contador de ${theDoor(name)} no puede guardar ${people(n)}: no lo apague y llame a su instalador`,
    'storage-failing': (name) =>
      `El contador de ${theDoor(name)} tiene la tarjeta de memoria dañada: llame a su instalador`,
    'storage-full': (name) =>
      `El contador de ${theDoor(name)} tiene la tarjeta de memoria llena: llame a su instalador`,
    'clock-unsynced': (name) => `El contador de ${theDoor(name)} no tiene el reloj en hora`,
    'no-devices': () => 'Aquí no hay ningún contador instalado',
    other: (name) => `El contador de ${theDoor(name)} tiene un problema`,
  },
  alerts: {
    heading: 'Avisos de las últimas 24 horas',
    none: 'Sin avisos.',
    open: 'Ahora:',
    over: 'Terminado:',
    fromTo: (from, to) => `de ${from} a ${to}`,
    kinds: {
      'device-inactive': (name) => `El contador de ${theDoor(name)} no responde`,
      'capacity-reached': (_, n) => `La tienda está llena${n === 0 ? '' : `, con un aforo de ${people(n)}`}`,
      'data-overdue': () => 'Hay cifras con retraso',
      'limits-exceeded': () => 'Un contador cuenta más de lo que cabe por una puerta',
      'disk-low': (name) => `El contador de ${theDoor(name)} tiene la memoria casi llena`,
      'cloned-unit': (name) => `Dos contadores se presentan como el de ${theDoor(name)}`,
      flapping: (name) => `El mismo problema de ${theDoor(name)} se repite una y otra vez`,
      'crossings-missing': (name) => `Faltan cifras de ${theDoor(name)}`,
      'crossings-lost': (name) => `Se han perdido cifras de ${theDoor(name)}`,
      'version-old': (name) => `El contador de ${theDoor(name)} necesita una actualización`,
      'update-failed': (name) => `No se pudo actualizar el contador de ${theDoor(name)}`,
      'storage-failing': (name) => `El contador de ${theDoor(name)} no puede guardar sus cifras`,
      'service-unavailable': () => 'No se pueden recibir cifras de ninguna tienda',
      'visitors-while-closed': () => 'Entró alguien con la tienda cerrada',
      'silent-while-open': (name) => `Nadie pasa por ${theDoor(name)} con la tienda abierta`,
      'direction-doubtful': (name) => `Las entradas y salidas de ${theDoor(name)} no cuadran`,
    },
  },
  words: visitorWords.es,
  ...settings,
  ...store,
  ...stores,
};
