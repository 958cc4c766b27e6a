'use strict';
const tiles=[...document.querySelectorAll('.tile')];
const results=[...document.querySelectorAll('details[data-v]')];
const broken=[...document.querySelectorAll('.broken li')];
const rows=[...document.querySelectorAll('.matrix tbody tr')];
const box=document.getElementById('q'),note=document.getElementById('n');
const text=new Map();
function textOf(e){
 if(!text.has(e))text.set(e,(e.querySelector('summary')??e).textContent.toLowerCase());
 return text.get(e);
}
function update(){
 const words=box.value.toLowerCase().split(/\s+/).filter(Boolean);
 const only=tiles.filter(t=>t.getAttribute('aria-pressed')==='true').map(t=>t.dataset.f);
 const shows=(e,v)=>(!only.length||only.includes(v))&&words.every(w=>textOf(e).includes(w));
 let shown=0;
 for(const r of results){r.hidden=!shows(r,r.dataset.v);shown+=!r.hidden}
 for(const b of broken)b.hidden=!shows(b,b.dataset.v);
 for(const r of rows){
  let has=!only.length&&!words.length;
  if(!has)for(const a of r.querySelectorAll('a'))
   if(!document.getElementById(a.hash.slice(1)).hidden){has=true;break}
  r.hidden=!has;
 }
 note.textContent=only.length||words.length?shown+' of '+results.length+' results':'';
}
for(const t of tiles)t.addEventListener('click',()=>{
 t.setAttribute('aria-pressed',t.getAttribute('aria-pressed')!=='true');update();
});
let timer;
box.addEventListener('input',()=>{clearTimeout(timer);timer=setTimeout(update,80)});
document.addEventListener('toggle',e=>{
 const later=e.target.querySelector(':scope>script');
 if(later)later.outerHTML=later.textContent;
},true);
function openTarget(){
 const place=location.hash&&document.getElementById(location.hash.slice(1));
 const target=place&&place.closest('details');
 if(!target)return;
 target.hidden=false;target.open=true;place.scrollIntoView();
 (place===target?target.querySelector('summary'):place).focus({preventScroll:true});
}
addEventListener('hashchange',openTarget);
openTarget();
